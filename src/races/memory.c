#include "races/memory.h"

void rv_memory_init(struct rv_memory *memory, const struct rv_trace *trace) {
    *memory = (struct rv_memory){.trace = trace, .lowest_benign = UINT64_MAX};
    for (uint32_t i = 0; i < trace->record_count; i++) {
        const struct rv_step *step = &trace->records[i].step;
        struct rv_ranges *ranges = NULL;
        switch (step->kind) {
        case RV_STEP_ALLOC: ranges = &memory->allocated; break;
        case RV_STEP_FREE: ranges = &memory->freed; break;
        case RV_STEP_START: ranges = &memory->stacks; break;
        case RV_STEP_BENIGN:
            ranges = &memory->benign;
            if (!step->size) continue;
            if (step->address < memory->lowest_benign) memory->lowest_benign = step->address;
            if (step->address + (step->size - 1) > memory->highest_benign)
                memory->highest_benign = step->address + (step->size - 1);
            break;
        default: continue;
        }
        rv_ranges_add(ranges, step->address, step->size, i);
    }
    rv_ranges_sort(&memory->allocated);
    rv_ranges_sort(&memory->freed);
    rv_ranges_sort(&memory->stacks);
    rv_ranges_sort(&memory->benign);
}

void rv_memory_free(struct rv_memory *memory) {
    rv_ranges_free(&memory->allocated);
    rv_ranges_free(&memory->freed);
    rv_ranges_free(&memory->stacks);
    rv_ranges_free(&memory->benign);
}

uint32_t rv_memory_life(const struct rv_memory *memory, uint64_t byte, uint32_t record) {
    return rv_ranges_latest(&memory->allocated, byte, record);
}

bool rv_memory_is_benign(const struct rv_memory *memory, uint64_t address, uint64_t size, uint32_t record) {
    uint64_t last = address + (size ? size - 1 : 0);
    if (address < memory->lowest_benign || last > memory->highest_benign) return false;
    for (uint64_t byte = address;;) {
        uint32_t begin = rv_memory_life(memory, byte, record);
        uint32_t end = rv_ranges_first(&memory->allocated, byte, record + 1);
        uint32_t said = rv_ranges_first(&memory->benign, byte, begin == RV_NO_RECORD ? 0 : begin);
        if (said >= end || said == RV_NO_RECORD) return false;
        const struct rv_step *step = &memory->trace->records[said].step;
        uint64_t covered = step->address + (step->size - 1);
        if (covered >= last) return true;
        byte = covered + 1;
    }
}
