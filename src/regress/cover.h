/* What a test covers of the changed version, from what it covered of the base: which blocks, each by which threads.
 *
 * A block of the base that a thread executed stands for the blocks that it became. Where the base does not tell, more is taken:
 *
 *   sure      blocks that are new, after one that is covered; what is newly called from a covered one; blocks in which nothing
 *             could have been observed that come before or after what was
 *   possible  also where a branch leads to that the change puts in question, with all that is called there
 *
 * Threads are bits. Numbers from 56 on share two bits, that count as two threads; so do threads that only the changed version
 * starts. */
#ifndef RV_REGRESS_COVER_H
#define RV_REGRESS_COVER_H

#include "regress/impact.h"

typedef uint64_t rv_threads;

struct rv_observed {
    uint32_t block; /* of the base */
    uint32_t thread;
    bool alone; /* no other thread was there: no race, unless the change starts or joins threads elsewhere */
};

struct rv_coverer {
    const struct rv_impact *impact;
    const bool *observable; /* by block of the base: some test would have shown it */
    const bool *tells;      /* ... even before the first thread */
    uint32_t *queue;
    bool *is_queued;
    bool together;         /* what was alone need not be */
    rv_threads *functions; /* entered anew, by these */
};

/* What one test covers; arrays by block of the new version. */
struct rv_cover {
    rv_threads *sure, *possible; /* `possible` includes `sure` */
    rv_groups changes;           /* that it may execute, by whatever thread and whenever */
};

void rv_coverer_open(struct rv_coverer *coverer, const struct rv_impact *impact, const bool *observable,
                     const bool *tells);
void rv_coverer_close(struct rv_coverer *coverer);
/* Fills the arrays, which the caller owns, and `changes`. */
void rv_cover_test(struct rv_coverer *coverer, const struct rv_observed *observed, size_t count,
                   struct rv_cover *cover);

rv_threads rv_thread_bits(uint32_t thread);
/* Two different threads, one for each. */
static inline bool rv_by_two(rv_threads a, rv_threads b) { return a && b && ((a | b) & ((a | b) - 1)); }

#endif
