/* A schedule that the supervisor owns: copied out of an area, which may change or be damaged at any time. */
#ifndef RV_SUPERVISOR_SCHEDULE_H
#define RV_SUPERVISOR_SCHEDULE_H

#include "base/protocol.h"

struct rv_schedule {
    struct rv_run *runs;
    uint64_t run_count;
    uint8_t *choices;
    uint64_t choice_count;
};

struct rv_schedule rv_schedule_copy(const struct rv_run *runs, uint64_t run_count, const uint8_t *choices,
                                    uint64_t choice_count);
/* The log of the execution under way or last in this area; counts are clamped. */
struct rv_schedule rv_schedule_of_log(const struct rv_area *area);
/* False: the finding's schedule was too long to be kept. */
bool rv_schedule_of_finding(struct rv_schedule *schedule, const struct rv_finding *finding);
void rv_schedule_free(struct rv_schedule *schedule);

#endif
