/* Events, while a request asks for them.
 *
 * A compiler's hook comes before its access. What a read will return is in memory already; what a write will
 * leave there is known only when the thread gets to its next hook or point: then rv_trace_fill looks, before
 * anybody else has run.
 */
#include "runtime/engine.h"
#include "runtime/heap.h"

static uint32_t last_thread;
static uint64_t preemptions_seen;

void rv_trace_begin(void) {
    rv.area->outcome.event_count = 0;
    last_thread = 0;
    preemptions_seen = 0;
}

static uint64_t peek(uintptr_t address, size_t size) {
    uint64_t value = 0;
    memcpy(&value, (const void *)address, size < 8 ? size : 8);
    return value;
}

void rv_trace_fill(struct rv_fiber *fiber) {
    struct rv_event *event = &rv.area->events[fiber->unfilled - 1];
    fiber->unfilled = 0;
    if (rv_heap_contains(event->address) && !rv_heap_accessible(event->address, event->size)) return;
    event->value = peek(event->address, event->size);
    event->flags |= RV_EVENT_VALUE;
}

static uint32_t context_of(const struct rv_fiber *self, rv_code *caller) {
    uint32_t hash = 2166136261u;
    uint32_t top = self->depth;
    *caller = 0;
    for (uint32_t i = 0; i < 5 && top > 0; i++) {
        uintptr_t pc = self->frames[--top].pc;
        if (i == 0) *caller = rv_code_of(pc);
        hash = (hash ^ (uint32_t)rv_code_of(pc)) * 16777619u;
    }
    return hash;
}

void rv_trace_memory(struct rv_fiber *self, enum rv_op op, uintptr_t address, size_t size, uintptr_t pc,
                     uint64_t value, unsigned flags) {
    struct rv_outcome *outcome = &rv.area->outcome;
    uint64_t index = outcome->event_count++;
    if (index >= RV_MAX_EVENTS) return;
    struct rv_event *event = &rv.area->events[index];
    *event = (struct rv_event){
        .address = address,
        .value = value,
        .step = self->step,
        .site = rv_code_of(pc),
        .thread = self->id,
        .op = (uint16_t)op,
        .size = (uint16_t)(size < 0xffff ? size : 0xffff),
        .flags = (uint16_t)flags,
        .depth = (uint16_t)(self->depth < 0xffff ? self->depth : 0xffff),
    };
    event->context = context_of(self, &event->caller);
    if (!(rv_op_flags[op] & RV_OPF_IO) && rv_heap_contains(address))
        event->block = rv_heap_number(address, &event->offset);
    if (self->id != last_thread) {
        event->flags |= RV_EVENT_SWITCH;
        if (outcome->preemptions != preemptions_seen) event->flags |= RV_EVENT_PREEMPT;
    }
    last_thread = self->id;
    preemptions_seen = outcome->preemptions;
    if (op == RV_OP_WRITE && size <= 8) self->unfilled = index + 1;
}
