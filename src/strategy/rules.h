/* What all searches up to equivalence have in common: in which order they like candidates where any would do.
 *
 *   a time-out where the thread can go on normally is the same as going on: it is no candidate of its own
 *   a time-out else comes after what can go on normally
 *   what ends the execution (the exit of the process, a failure that was found) comes last, when the others have come as far
 *   as they can: what they would have done must be seen. If only that is left, each of them is a branch
 */
#ifndef RV_STRATEGY_RULES_H
#define RV_STRATEGY_RULES_H

#include "strategy/strategy.h"

enum rv_liking { RV_LIKE_NOT, RV_LIKE_END, RV_LIKE_TIMEOUT, RV_LIKE };

static inline bool rv_ends_execution(const struct rv_operation *next) {
    return next->op == RV_OP_NONE || (next->op == RV_OP_EXIT && next->object == 0);
}

static inline enum rv_liking rv_liking(const struct rv_point *point, uint32_t index) {
    const struct rv_candidate *candidate = &point->candidates[index];
    if (index > 0 && point->candidates[index - 1].thread == candidate->thread) return RV_LIKE_NOT;
    if (rv_ends_execution(&candidate->next)) return RV_LIKE_END;
    return candidate->timeout ? RV_LIKE_TIMEOUT : RV_LIKE;
}

#endif
