#ifndef RV_REGRESS_SELECT_PRIVATE_H
#define RV_REGRESS_SELECT_PRIVATE_H

#include "base/rng.h"
#include "regress/select.h"

/* What one test adds when it is taken: things with weights, in two classes, the first counting before all of the second. */
struct rv_rank_item {
    const uint32_t *things;
    uint32_t count, sure; /* the first `sure` are of the first class */
};

/* Fills order[] with 0 .. count - 1, greedily by what is added, reset when nothing is. weights NULL: 1 each. */
void rv_rank(const struct rv_rank_item *items, uint32_t count, const uint32_t *weights, uint32_t things,
             struct rv_rng *rng, uint32_t *order);

#endif
