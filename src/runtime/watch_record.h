/* The record of an execution: writes struct rv_recording (base/protocol.h) while a request asks for it. */
#ifndef RV_RUNTIME_WATCH_RECORD_H
#define RV_RUNTIME_WATCH_RECORD_H

#include "runtime/engine.h"
#include "runtime/heap.h"

bool rv_record_init(void); /* once in a process; false: no memory */
void rv_record_begin(bool recording);
/* A step of this fiber, with its call stack. The number of the record; where there is no room, that of the last
 * place. */
uint32_t rv_record_of(const struct rv_fiber *fiber, const struct rv_step *step);

/* A block that is there when the recording begins. */
void rv_record_block(const struct rv_heap_block *block);

#endif
