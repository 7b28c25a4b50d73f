#include "races/describe_private.h"

#include <stdlib.h>

#include "report/text.h"

enum { BLOCK_FRAMES = sizeof((struct rv_block_report *)0)->alloc_frames / sizeof(rv_code) };

void rv_names_begin(struct rv_describer *describer) {
    describer->unnamed = (struct rv_unnamed){0};
    describer->mentioned_count = 0;
}

/* New memory without a site is a stack or a mapping. */
uint32_t rv_names_block(const struct rv_describer *describer, uint64_t address, uint32_t record) {
    uint32_t life = rv_memory_life(describer->memory, address, record);
    return life != RV_NO_RECORD && describer->trace->records[life].step.site ? life : RV_NO_RECORD;
}

void rv_names_mention(struct rv_describer *describer, uint64_t address, uint32_t record) {
    uint32_t block = rv_names_block(describer, address, record);
    if (block == RV_NO_RECORD || describer->mentioned_count == RV_MENTIONED_MAX) return;
    for (uint32_t i = 0; i < describer->mentioned_count; i++)
        if (describer->mentioned[i] == block) return;
    describer->mentioned[describer->mentioned_count++] = block;
}

struct rv_block_report rv_names_report(const struct rv_describer *describer, uint32_t block) {
    const struct rv_record *record = &describer->trace->records[block];
    struct rv_block_report report = {.number = block + 1,
                                     .address = record->step.address,
                                     .size = record->step.size,
                                     .alloc_thread = record->step.thread};
    report.alloc_frames[0] = record->step.site;
    rv_trace_stack(describer->trace, block, report.alloc_frames + 1, BLOCK_FRAMES - 1);
    return report;
}

static char *name_block(struct rv_describer *describer, uint32_t block, uint64_t offset) {
    const struct rv_record *records = describer->trace->records;
    struct rv_block_report report = rv_names_report(describer, block);
    char *name = rv_symbolise_block(describer->symbols, &report, (unsigned)offset);
    uint32_t alike = 0, ordinal = 0;
    for (uint32_t i = 0; i < describer->mentioned_count; i++) {
        uint32_t other = describer->mentioned[i];
        if (records[other].step.site != records[block].step.site ||
            records[other].stack != records[block].stack)
            continue;
        alike++;
        if (other <= block) ordinal++;
    }
    if (alike > 1) rv_name_ordinal(&name, ordinal);
    return name;
}

char *rv_names_memory(struct rv_describer *describer, uint64_t address, unsigned size, uint32_t record) {
    const struct rv_record *records = describer->trace->records;
    uint32_t block = rv_names_block(describer, address, record);
    if (block != RV_NO_RECORD && address - records[block].step.address <= UINT32_MAX)
        return name_block(describer, block, address - records[block].step.address);
    char *name = rv_symbolise_data(describer->symbols, address, size);
    if (name) return name;
    uint32_t stack = rv_ranges_latest(&describer->memory->stacks, address, record);
    char *owner = stack == RV_NO_RECORD ? NULL : rv_describer_thread(describer, records[stack].step.thread);
    name = rv_name_unnamed(&describer->unnamed, address, owner);
    free(owner);
    return name;
}
