/* Schedules as data, and the strategy that follows one.
 *
 * A schedule is a list of runs. A run says: thread T goes on until its own step counter stands at
 * `until`, that is until its step number `until` is pending; it stops earlier where it cannot go on.
 * Steps count every hook the thread passes, filtered or not, so that a schedule means the same whatever
 * has been learned about sharing: that is what makes a failure of execution 9,000 replay in a fresh process.
 * After the last run the default policy holds: stay on the current thread (if it yielded: the next thread
 * in cyclic order that can go on), else the lowest thread that can go on normally, else the next time-out
 * in cyclic order: two threads that poll with sleeps both get on. A run whose thread cannot go on when its turn
 * comes is skipped and counted as a deviation.
 */
#ifndef RV_STRATEGY_REPLAY_H
#define RV_STRATEGY_REPLAY_H

#include "strategy/strategy.h"

enum { RV_RUN_TIMEOUT = 1 }; /* the run begins with the thread's time-out expiring */

struct rv_run {
    uint32_t thread;
    uint32_t flags;
    uint64_t until; /* UINT64_MAX: to the end of the thread */
};

struct rv_replay_input {
    const struct rv_run *runs;
    uint64_t run_count;
    const uint8_t *choices; /* answers to choose(), in order; 0 after the last */
    uint64_t choice_count;
};

extern const struct rv_strategy rv_strategy_replay;

/* The default policy: an index into point->candidates. Without preemptions, without time-outs that something
 * else could replace. */
uint32_t rv_default_pick(const struct rv_point *point);

/* Sets what the next execution follows. The arrays must stay until it ends. */
void rv_replay_set(void *state, const struct rv_replay_input *input);
/* For the engine: the step at which `thread` must be stopped by a point, UINT64_MAX if at none. The engine
 * asks after each pick. */
uint64_t rv_replay_stop_at(void *state, uint32_t thread);
/* How many runs could not be followed to their end as written (0: an exact replay). */
uint64_t rv_replay_deviations(const void *state);

#endif
