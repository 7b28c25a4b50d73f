/* The watchdog: sees that an execution makes no progress, first asks the runtime to turn it into a failure, then
 * gives up on the process.
 *
 * Progress is the heartbeat in the worker's area (scheduling points passed). A worker is stuck when it used the
 * limit of CPU time without one, or ten times the limit of real time without using CPU (it sits in a
 * system call that ravel does not control). Before the first execution, a long single-threaded start is
 * legitimate: ten times more of each.
 */
#ifndef RV_SUPERVISOR_WATCH_H
#define RV_SUPERVISOR_WATCH_H

#include <signal.h>
#include <sys/types.h>

#include "base/protocol.h"

struct rv_watch {
    uint64_t heartbeat;
    uint32_t state;
    uint64_t executions;
    double cpu; /* when the heartbeat was last seen to change */
    double time;
    double asked; /* when the signal was sent; 0: not */
};

enum rv_watch_verdict { RV_WATCH_FINE, RV_WATCH_ASKED, RV_WATCH_GIVE_UP };

/* A process has just been started. */
void rv_watch_start(struct rv_watch *watch, pid_t pid, const struct rv_control *control);
/* Call every 50 ms or so. GIVE_UP: the process does not even answer the signal; the caller kills it. */
enum rv_watch_verdict rv_watch_look(struct rv_watch *watch, pid_t pid, const struct rv_control *control,
                                    unsigned limit_ms);

#endif
