#include "strategy/footprint.h"

/* Objects that are no addresses; user space ends far below. */
#define ALL_DESCRIPTORS UINT64_C(0xffff000000000000)

static bool is_global(const struct rv_operation *operation) {
    switch (operation->op) {
    case RV_OP_EXIT: return operation->object == 0; /* of the process, not of a thread */
    case RV_OP_CANCEL:
    case RV_OP_FORK:
    case RV_OP_CHILD_WAIT:
    case RV_OP_KILL:
    case RV_OP_SIGACTION:
    case RV_OP_SIGWAIT:
    case RV_OP_HANDLER:
    case RV_OP_FUTEX_WAIT:
    case RV_OP_FUTEX_WAKE:
    case RV_OP_REMAP: return true;
    default: return false;
    }
}

bool rv_range_of(const struct rv_operation *operation, struct rv_range *range, bool *global) {
    bool writes = (operation->flags & RV_OPF_WRITE) && !operation->unchanged;
    if (is_global(operation)) {
        *global = true;
        return false;
    }
    if ((operation->flags & RV_OPF_IO) || operation->op == RV_OP_FD_OPEN) {
        *range = (struct rv_range){.start = ALL_DESCRIPTORS, .size = 1, .write = true};
        return true;
    }
    if (!operation->object) return false;
    bool memory = operation->flags & RV_OPF_MEMORY;
    *range = (struct rv_range){
        .start = operation->object,
        .size = memory && operation->size ? operation->size : 1,
        .write = writes,
    };
    return true;
}

static void add_range(struct rv_footprint *footprint, const struct rv_range *range) {
    for (uint32_t i = 0; i < footprint->count; i++) {
        struct rv_range *known = &footprint->ranges[i];
        if (known->start != range->start || known->size != range->size) continue;
        known->write |= range->write;
        return;
    }
    if (footprint->count == RV_FOOTPRINT_RANGES)
        footprint->global = true;
    else
        footprint->ranges[footprint->count++] = *range;
}

void rv_footprint_add(struct rv_footprint *footprint, const struct rv_operation *operation) {
    struct rv_range range;
    if (rv_range_of(operation, &range, &footprint->global)) add_range(footprint, &range);
}

void rv_footprint_merge(struct rv_footprint *footprint, const struct rv_footprint *other) {
    footprint->global |= other->global;
    for (uint32_t i = 0; i < other->count; i++) add_range(footprint, &other->ranges[i]);
}

bool rv_footprint_dependent(const struct rv_footprint *a, const struct rv_footprint *b) {
    if (a->thread == b->thread || a->global || b->global) return true;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct rv_range *one = &a->ranges[i];
        for (uint32_t k = 0; k < b->count; k++) {
            const struct rv_range *other = &b->ranges[k];
            if ((one->write || other->write) && one->start < other->start + other->size &&
                other->start < one->start + one->size)
                return true;
        }
    }
    return false;
}
