#include "supervisor/reduce.h"

#include <stdlib.h>
#include <string.h>

#include "report/race.h"
#include "supervisor/minimise.h"
#include "supervisor/recorded.h"
#include "supervisor/util.h"

enum {
    TRIALS_MAX = 2000,
    POINTS_MAX = 20000000,       /* scheduling points in all trials together: a few seconds */
    POINTS_TO_SHORTEN = 6000000, /* ... in finding out how much of a schedule is needed */
};

struct context {
    struct rv_server server;
    struct rv_expectation expected;
    uint64_t points; /* in the search for what is needed */
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
    trial->effort = outcome->points;
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

/* --- how much of a schedule must be written down --- */

static bool same_execution(struct context *context, const struct rv_schedule *schedule, uint64_t runs,
                           uint64_t event_hash) {
    struct rv_schedule prefix = *schedule;
    struct rv_reply reply;
    prefix.run_count = runs;
    rv_server_run(&context->server, &prefix, 0, &reply);
    context->points += reply.outcome.points;
    return reply.state != RV_REPLY_UNAVAILABLE && rv_expected(&context->expected, &reply.outcome) &&
           reply.outcome.event_hash == event_hash;
}

/* The log of an execution has all its runs; most of the later ones are what the default policy would do anyway. If a
 * prefix gives the same execution, so does every longer one: the least is found by doubling, then halving. A
 * hang of half a million runs becomes a handful. */
static uint64_t needed_runs(struct context *context, const struct rv_schedule *schedule) {
    uint64_t count = schedule->run_count, failing = 0, good = count;
    struct rv_reply reply;
    rv_server_run(&context->server, schedule, 0, &reply);
    if (reply.state == RV_REPLY_UNAVAILABLE || !rv_expected(&context->expected, &reply.outcome)) return count;
    uint64_t hash = reply.outcome.event_hash;
    context->points = 0;
    if (same_execution(context, schedule, 0, hash)) return 0;
    for (uint64_t at = 1; at < count; at *= 2) {
        if (context->points > POINTS_TO_SHORTEN || rv_interrupted) return count;
        if (same_execution(context, schedule, at, hash)) {
            good = at;
            break;
        }
        failing = at;
    }
    while (good - failing > 1 && context->points <= POINTS_TO_SHORTEN && !rv_interrupted) {
        uint64_t middle = failing + (good - failing) / 2;
        if (same_execution(context, schedule, middle, hash))
            good = middle;
        else
            failing = middle;
    }
    return good;
}

/* --- the whole --- */

/* The schedule happened in a process that had done other things before: once more, in a fresh one. */
static void adopt(struct rv_failure *failure, const struct rv_case *about, const struct rv_schedule *schedule,
                  const struct rv_expectation *expected) {
    struct rv_confirmation again;
    rv_confirm(&again, about, schedule, expected);
    struct rv_cost before = cost_of(failure), after = cost_of(&again.failure);
    if (again.verdict == RV_CONFIRMED && again.failure.kind == expected->kind &&
        again.failure.signature == expected->signature && rv_cost_compare(&after, &before) <= 0) {
        struct rv_failure old = *failure;
        *failure = again.failure;
        again.failure = old;
        if (failure->race && old.race) rv_race_carry_over(failure->race, old.race);
        failure->count = old.count;
        failure->first_schedule = old.first_schedule;
        failure->run_count =
            schedule->run_count < failure->run_count ? schedule->run_count : failure->run_count;
        memcpy(failure->runs, schedule->runs, failure->run_count * sizeof *failure->runs);
        char *isolation = failure->isolation, *file = failure->file;
        failure->isolation = again.failure.isolation;
        failure->file = again.failure.file;
        again.failure.isolation = isolation;
        again.failure.file = file;
    }
    rv_confirmation_free(&again);
}

/* A hang without preemptions has nothing to drop but the rounds of its threads. */
static bool worth_minimising(const struct rv_failure *failure, const struct rv_cost *cost) {
    return failure->kind != RV_KIND_HANG || cost->preemptions || cost->timeouts || cost->choices;
}

void rv_reduce(struct rv_failure *failure, const struct rv_case *about, double seconds) {
    struct context context = {
        .expected = {failure->kind, failure->signature, .met = failure->race && failure->race->standing}};
    struct rv_config config = rv_case_config(about, &context.expected);
    struct rv_schedule recorded = rv_recorded_schedule(failure);
    struct rv_cost cost = cost_of(failure);
    struct rv_minimise job = {.try_schedule = try_schedule,
                              .context = &context,
                              .trials_max = TRIALS_MAX,
                              .effort_max = POINTS_MAX,
                              .seconds_max = seconds,
                              .schedule = rv_schedule_copy(recorded.runs, recorded.run_count,
                                                           recorded.choices, recorded.choice_count),
                              .cost = cost};
    if (rv_server_open(&context.server, about->program, &config, false)) {
        job.schedule.run_count = needed_runs(&context, &job.schedule);
        if (worth_minimising(failure, &cost)) {
            rv_minimise(&job);
            job.schedule.run_count = needed_runs(&context, &job.schedule);
        }
    }
    rv_server_close(&context.server);
    if (!rv_interrupted) adopt(failure, about, &job.schedule, &context.expected);
    rv_schedule_free(&job.schedule);
}
