/* When two operations depend on each other, so that their order can matter. */
#ifndef RV_STRATEGY_DEPENDENCE_H
#define RV_STRATEGY_DEPENDENCE_H

#include "strategy/strategy.h"

/* Same object (overlapping bytes, for memory), at least one of the two modifies it. Descriptors and
 * addresses are different worlds. Program order is the caller's: threads are not compared. */
static inline bool rv_operations_conflict(const struct rv_operation *a, const struct rv_operation *b) {
    if (!((a->flags | b->flags) & RV_OPF_WRITE)) return false;
    if ((a->flags ^ b->flags) & RV_OPF_IO) return false;
    if (a->flags & RV_OPF_IO) return a->object == b->object;
    if (!a->object || !b->object) return false;
    uint64_t a_size = a->size ? a->size : 1;
    uint64_t b_size = b->size ? b->size : 1;
    return a->object < b->object + b_size && b->object < a->object + a_size;
}

#endif
