/* Minimisation: from a schedule that fails to one that fails the same way and is easier to understand.
 *
 * Knows nothing of processes: whoever calls it supplies a function that runs a schedule and tells what came of
 * it. A schedule that is asked for need not exist exactly (a run whose thread cannot go on is skipped), so
 * what counts, and what is kept, is the log of what really happened.
 */
#ifndef RV_SUPERVISOR_MINIMISE_H
#define RV_SUPERVISOR_MINIMISE_H

#include "supervisor/schedule.h"

/* How hard an execution is to understand; compared from the first field to the last. */
struct rv_cost {
    uint32_t preemptions;
    uint32_t timeouts;
    uint32_t choices; /* answers other than the ordinary one */
    uint32_t switches;
};
/* < 0: a is simpler. Any failure without time-outs is simpler than any with: it needs no slow machine. */
int rv_cost_compare(const struct rv_cost *a, const struct rv_cost *b);

/* What came of running a schedule. */
struct rv_trial {
    bool same;                 /* it failed, in the same way */
    uint64_t effort;           /* what the trial cost, in units that do not depend on the machine */
    struct rv_cost cost;       /* with same */
    struct rv_schedule actual; /* with same: the schedule as it was; the minimiser frees it */
};
/* False: no more trials are possible (interrupted, or the program cannot be started). */
typedef bool (*rv_try_schedule)(void *context, const struct rv_schedule *schedule, struct rv_trial *trial);

struct rv_minimise {
    rv_try_schedule try_schedule;
    void *context;
    /* Limits. The first two give the same result on every machine; the third is for machines that are too slow. */
    unsigned trials_max;
    uint64_t effort_max;
    double seconds_max;
    /* in and out: a schedule known to fail, and its cost */
    struct rv_schedule schedule;
    struct rv_cost cost;
    /* out */
    unsigned trials;
    uint64_t effort;
    bool exhausted; /* a limit was met before nothing more could be dropped */
};
void rv_minimise(struct rv_minimise *minimise);

#endif
