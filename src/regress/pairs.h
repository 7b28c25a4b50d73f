/* The impacted pairs of shared variables: what has to be covered by tests.
 *
 * A pair is two accesses that may touch the same memory, at least one of them writing, at least one impacted. Left out is what
 * can be no data race: two atomic accesses, what only one thread can ever execute, and what certainly holds a lock in common. A *target* is all pairs of two blocks: a test
 * that covers the blocks covers them all. */
#ifndef RV_REGRESS_PAIRS_H
#define RV_REGRESS_PAIRS_H

#include "regress/impact.h"

struct rv_isvp {
    uint32_t first, second; /* sites; first is impacted */
    uint32_t target;
};

struct rv_target {
    uint32_t first, second; /* blocks */
    uint32_t pairs;         /* so many */
    rv_groups groups;       /* of changes that affect one of them */
};

enum {
    RV_PAIRS_MAX = 1 << 21,   /* that are kept one by one; targets and their numbers know of all */
    RV_TARGETS_MAX = 1 << 21, /* more than these tell no tests apart that are worth it */
};

struct rv_isvps {
    struct rv_isvp *pairs;
    size_t count, more; /* `more`: that were not kept */
    struct rv_target *targets;
    uint32_t target_count;
};

/* False: there are more than RV_TARGETS_MAX, and *isvps is empty. */
bool rv_isvps_make(struct rv_isvps *isvps, const struct rv_impact *impact);
void rv_isvps_free(struct rv_isvps *isvps);

#endif
