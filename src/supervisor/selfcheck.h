/* The self-check: is one schedule one execution?
 *
 * Everything ravel says rests on two things that may not hold for a given program: that the same schedule
 * does the same in every process, and that an execution after memory was restored is like the first of a
 * process. So some schedules (the default one, and random ones made from what the threads did) are run in
 * one process after the other and compared, event for event, with a fresh process.
 *
 *   one process, another process differ, and two more fresh ones differ as well   nondeterminism: the program
 *                                                                                 depends on the outside
 *   fresh ones agree, only executions after a restore differ                      memory isolation does not hold
 */
#ifndef RV_SUPERVISOR_SELFCHECK_H
#define RV_SUPERVISOR_SELFCHECK_H

#include "supervisor/confirm.h"
#include "supervisor/result.h"

enum rv_check {
    RV_CHECK_FINE,
    RV_CHECK_RESTORE,        /* memory isolation does not hold; *difference is not touched */
    RV_CHECK_NONDETERMINISM, /* *difference tells */
    RV_CHECK_NOTHING,        /* no answer: too slow, died, interrupted */
};

/* Some executions of about.program in two processes (four if they differ). `seed` chooses the schedules. *alone: the
 * program changes files, so that processes side by side would disturb each other. */
enum rv_check rv_selfcheck(const struct rv_case *about, uint64_t seed, struct rv_nondeterminism *difference,
                           bool *alone);
/* Whether two fresh processes do the same under this schedule. Never RV_CHECK_RESTORE. */
enum rv_check rv_selfcheck_schedule(const struct rv_case *about, const struct rv_schedule *schedule,
                                    struct rv_nondeterminism *difference);

#endif
