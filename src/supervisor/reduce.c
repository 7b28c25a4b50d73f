#include "supervisor/reduce.h"

#include <stdlib.h>

#include "supervisor/minimise.h"
#include "supervisor/recorded.h"
#include "supervisor/util.h"

enum { TRIALS_MAX = 2000 };

struct context {
    struct rv_server server;
    struct rv_expectation expected;
};

static uint32_t count_choices(const uint8_t *choices, uint64_t count) {
    uint32_t unusual = 0;
    for (uint64_t i = 0; i < count; i++) unusual += choices[i] != 0;
    return unusual;
}

static bool try_schedule(void *opaque, const struct rv_schedule *schedule, struct rv_trial *trial) {
    struct context *context = opaque;
    struct rv_reply reply;
    rv_server_run(&context->server, schedule, 0, &reply);
    if (reply.state == RV_REPLY_UNAVAILABLE) return false;
    const struct rv_outcome *outcome = &reply.outcome;
    trial->same = rv_expected(&context->expected, outcome) && !outcome->log_overflow;
    if (!trial->same) return true;
    trial->actual = rv_schedule_of_log(rv_server_area(&context->server));
    trial->cost =
        (struct rv_cost){.preemptions = outcome->preemptions,
                         .timeouts = outcome->timeouts,
                         .choices = count_choices(trial->actual.choices, trial->actual.choice_count),
                         .switches = outcome->switches};
    return true;
}

static struct rv_cost cost_of(const struct rv_failure *failure) {
    return (struct rv_cost){.preemptions = failure->preemptions,
                            .timeouts = failure->timeouts,
                            .choices = count_choices(failure->choices, failure->choice_count),
                            .switches = failure->switches};
}

/* The simpler schedule happened in a process that had done other things before: once more, in a fresh one. */
static void adopt(struct rv_failure *failure, const struct rv_case *about, const struct rv_schedule *schedule,
                  const struct rv_expectation *expected) {
    struct rv_confirmation again;
    rv_confirm(&again, about, schedule, expected);
    struct rv_cost before = cost_of(failure), after = cost_of(&again.failure);
    if (again.verdict == RV_CONFIRMED && again.failure.kind == expected->kind &&
        again.failure.signature == expected->signature && rv_cost_compare(&after, &before) < 0) {
        struct rv_failure old = *failure;
        *failure = again.failure;
        again.failure = old;
        failure->count = old.count;
        failure->first_schedule = old.first_schedule;
        char *isolation = failure->isolation, *file = failure->file;
        failure->isolation = again.failure.isolation;
        failure->file = again.failure.file;
        again.failure.isolation = isolation;
        again.failure.file = file;
    }
    rv_confirmation_free(&again);
}

void rv_reduce(struct rv_failure *failure, const struct rv_case *about, double seconds) {
    struct context context = {.expected = {failure->kind, failure->signature}};
    struct rv_config config = rv_case_config(about);
    struct rv_schedule recorded = rv_recorded_schedule(failure);
    struct rv_cost before = cost_of(failure);
    struct rv_minimise job = {.try_schedule = try_schedule,
                              .context = &context,
                              .trials_max = TRIALS_MAX,
                              .seconds_max = seconds,
                              .schedule = rv_schedule_copy(recorded.runs, recorded.run_count,
                                                           recorded.choices, recorded.choice_count),
                              .cost = before};
    if (rv_server_open(&context.server, about->program, &config, false)) rv_minimise(&job);
    rv_server_close(&context.server);
    if (rv_cost_compare(&job.cost, &before) < 0) adopt(failure, about, &job.schedule, &context.expected);
    rv_schedule_free(&job.schedule);
}
