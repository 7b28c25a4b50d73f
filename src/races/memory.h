/* What a trace tells of memory: blocks, stacks, and which bytes the program calls benign to race on. Built in one pass,
 * once per trace. A byte's *life* is from the ALLOC before to the next one.
 */
#ifndef RV_RACES_MEMORY_H
#define RV_RACES_MEMORY_H

#include "races/ranges.h"
#include "races/trace.h"

struct rv_memory {
    const struct rv_trace *trace;
    struct rv_ranges allocated, freed, stacks, benign; /* of ALLOC, FREE, START, BENIGN records */
    uint64_t lowest_benign, highest_benign;
};

void rv_memory_init(struct rv_memory *memory, const struct rv_trace *trace);
void rv_memory_free(struct rv_memory *memory);

/* The ALLOC that the byte's life at this record began with, or RV_NO_RECORD. */
uint32_t rv_memory_life(const struct rv_memory *memory, uint64_t byte, uint32_t record);
/* All of these bytes are benign to race on, at this record. */
bool rv_memory_is_benign(const struct rv_memory *memory, uint64_t address, uint64_t size, uint32_t record);

#endif
