/* Schedules as lists of runs: what recorder, minimiser and reports need. Pure functions on arrays. */
#ifndef RV_STRATEGY_SCHEDULE_H
#define RV_STRATEGY_SCHEDULE_H

#include "strategy/replay.h"

/* Brings a list of runs into its shortest form, in place; returns the new number. Adjacent runs of one
 * thread become one, the later `until` holds, unless the second begins with a time-out: that is a decision
 * of its own. Runs without progress (ending where an earlier run of the same thread already ended) vanish. */
uint64_t rv_schedule_normalise(struct rv_run *runs, uint64_t count);

/* How often the thread changes from one run to the next. */
uint64_t rv_schedule_switches(const struct rv_run *runs, uint64_t count);

/* How many runs begin with a time-out. */
uint64_t rv_schedule_timeouts(const struct rv_run *runs, uint64_t count);

#endif
