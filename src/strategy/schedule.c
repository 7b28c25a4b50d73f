#include "strategy/schedule.h"

/* Where the last run of this thread among the first `count` ends; 0: there is none. */
static uint64_t reached(const struct rv_run *runs, uint64_t count, uint32_t thread) {
    while (count--)
        if (runs[count].thread == thread) return runs[count].until;
    return 0;
}

uint64_t rv_schedule_normalise(struct rv_run *runs, uint64_t count) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct rv_run run = runs[i];
        bool timeout = run.flags & RV_RUN_TIMEOUT;
        if (kept && runs[kept - 1].thread == run.thread && !timeout) {
            if (run.until > runs[kept - 1].until) runs[kept - 1].until = run.until;
        } else if (timeout || run.until > reached(runs, kept, run.thread)) {
            runs[kept++] = run;
        }
    }
    return kept;
}

uint64_t rv_schedule_switches(const struct rv_run *runs, uint64_t count) {
    uint64_t switches = 0;
    for (uint64_t i = 1; i < count; i++) switches += runs[i].thread != runs[i - 1].thread;
    return switches;
}

uint64_t rv_schedule_timeouts(const struct rv_run *runs, uint64_t count) {
    uint64_t timeouts = 0;
    for (uint64_t i = 0; i < count; i++) timeouts += (runs[i].flags & RV_RUN_TIMEOUT) != 0;
    return timeouts;
}
