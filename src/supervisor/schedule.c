#include "supervisor/schedule.h"

#include <stdlib.h>

#include "supervisor/util.h"

struct rv_schedule rv_schedule_copy(const struct rv_run *runs, uint64_t run_count, const uint8_t *choices,
                                    uint64_t choice_count) {
    return (struct rv_schedule){.runs = rv_copy(runs, run_count * sizeof *runs),
                                .run_count = run_count,
                                .choices = rv_copy(choices, choice_count),
                                .choice_count = choice_count};
}

static uint64_t at_most(uint64_t value, uint64_t limit) { return value < limit ? value : limit; }

struct rv_schedule rv_schedule_of_log(const struct rv_area *area) {
    return rv_schedule_copy(area->log_runs, at_most(rv_load64(&area->outcome.run_count), RV_MAX_RUNS),
                            area->log_choices,
                            at_most(rv_load64(&area->outcome.choice_count), RV_MAX_CHOICES));
}

bool rv_schedule_of_finding(struct rv_schedule *schedule, const struct rv_finding *finding) {
    uint64_t runs = rv_load64(&finding->run_count), choices = rv_load64(&finding->choice_count);
    if (runs > RV_FINDING_RUNS || choices > RV_FINDING_RUNS) return false;
    *schedule = rv_schedule_copy(finding->runs, runs, finding->choices, choices);
    return true;
}

void rv_schedule_free(struct rv_schedule *schedule) {
    free(schedule->runs);
    free(schedule->choices);
    *schedule = (struct rv_schedule){0};
}
