/* The worker: one process that runs the program again and again, or once per request.
 *
 * rv_worker_snapshot is called by the main fiber just before the first thread is created. It returns once for
 * each execution, each time with the program's memory as it was at the first call. Until then the program runs
 * single-threaded (rv.mode SINGLE); afterwards rv.mode is CONTROLLED. Calls after the first return at once.
 * With config.early it is called in place of main already, so that each execution may be another test.
 */
#ifndef RV_RUNTIME_WORKER_H
#define RV_RUNTIME_WORKER_H

#include "analysis/race_hb.h"
#include "runtime/core.h"

void rv_worker_snapshot(void);

/* Files a race that the execution under way has met, for the supervisor. `standing`: both threads stand at their accesses,
 * else one has done its own. */
void rv_worker_file_race(const struct rv_race_report *report, bool standing);
/* The execution is over; the outcome is in rv.area->outcome. Leaves the current stack for ever. */
_Noreturn void rv_worker_execution_over(void);

#endif
