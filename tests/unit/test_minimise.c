/* Minimisation over models of programs: what fails is a property of the schedule, so that the smallest schedule
 * is known and the search can be held against it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "strategy/schedule.h"
#include "supervisor/minimise.h"
#include "supervisor/util.h"

/* A model: whether these runs and choices fail. */
struct model {
    bool (*fails)(const struct rv_schedule *schedule);
    unsigned calls;
    unsigned give_up_after; /* 0: never */
};

static bool try_model(void *opaque, const struct rv_schedule *schedule, struct rv_trial *trial) {
    struct model *model = opaque;
    if (model->give_up_after && model->calls >= model->give_up_after) return false;
    model->calls++;
    trial->same = model->fails(schedule);
    trial->effort = 10;
    if (!trial->same) return true;
    trial->actual =
        rv_schedule_copy(schedule->runs, schedule->run_count, schedule->choices, schedule->choice_count);
    uint32_t switches = (uint32_t)rv_schedule_switches(schedule->runs, schedule->run_count);
    trial->cost =
        (struct rv_cost){.preemptions = switches,
                         .timeouts = (uint32_t)rv_schedule_timeouts(schedule->runs, schedule->run_count),
                         .switches = switches};
    for (uint64_t i = 0; i < schedule->choice_count; i++) trial->cost.choices += schedule->choices[i] != 0;
    return true;
}

static struct rv_minimise job_for(struct model *model, const struct rv_run *runs, uint64_t count) {
    struct rv_minimise job = {.try_schedule = try_model,
                              .context = model,
                              .trials_max = 2000,
                              .effort_max = 100000,
                              .seconds_max = 1e9,
                              .schedule = rv_schedule_copy(runs, count, NULL, 0)};
    struct rv_trial first = {0};
    assert_true(try_model(model, &job.schedule, &first));
    assert_true(first.same); /* else the test itself is wrong */
    job.cost = first.cost;
    rv_schedule_free(&first.actual);
    model->calls = 0;
    return job;
}

/* A long random-looking schedule of three threads. */
static struct rv_run *long_schedule(uint64_t count) {
    struct rv_run *runs = rv_allocate(count * sizeof *runs);
    uint64_t at[3] = {0}, random = 7;
    for (uint64_t i = 0; i < count; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t thread = (uint32_t)(i % 3);
        at[thread] += 1 + (random >> 60);
        runs[i] = (struct rv_run){thread, 0, at[thread]};
    }
    return runs;
}

/* How far each thread is after the first `count` runs. */
static uint64_t progress(const struct rv_schedule *schedule, uint64_t count, uint32_t thread) {
    uint64_t at = 0;
    for (uint64_t i = 0; i < count; i++)
        if (schedule->runs[i].thread == thread && schedule->runs[i].until > at) at = schedule->runs[i].until;
    return at;
}

static bool always(const struct rv_schedule *schedule) {
    (void)schedule;
    return true;
}

static void a_failure_under_any_schedule_becomes_the_empty_one(void **state) {
    (void)state;
    struct model model = {.fails = always};
    struct rv_run *runs = long_schedule(300);
    struct rv_minimise job = job_for(&model, runs, 300);
    rv_minimise(&job);
    assert_int_equal(job.schedule.run_count, 0);
    assert_int_equal(job.cost.preemptions, 0);
    assert_true(job.trials < 10);
    assert_false(job.exhausted);
    rv_schedule_free(&job.schedule);
    free(runs);
}

/* A lost update: thread 1 passes step 40 while thread 0 stands between its steps 30 and 35. */
static bool lost_update(const struct rv_schedule *schedule) {
    for (uint64_t i = 1; i <= schedule->run_count; i++) {
        uint64_t mine = progress(schedule, i - 1, 0);
        if (mine >= 30 && mine < 35 && progress(schedule, i - 1, 1) < 40 && progress(schedule, i, 1) >= 40)
            return true;
    }
    return false;
}

static void only_the_switch_that_matters_stays(void **state) {
    (void)state;
    struct model model = {.fails = lost_update};
    struct rv_run *runs = long_schedule(400);
    runs[100] = (struct rv_run){0, 0, 32};
    runs[101] = (struct rv_run){1, 0, 45};
    for (uint64_t i = 0; i < 100; i++)
        if (runs[i].thread != 2) runs[i].until = 1 + i / 4;
    struct rv_minimise job = job_for(&model, runs, 400);
    rv_minimise(&job);
    assert_true(lost_update(&job.schedule));
    assert_int_equal(job.cost.switches, 1); /* thread 0 to 32, thread 1 beyond 40 */
    assert_int_equal(job.schedule.run_count, 2);
    assert_int_equal(job.trials, model.calls);
    rv_schedule_free(&job.schedule);
    free(runs);
}

/* Two runs that can only go together: thread 1 has got to 5 if and only if thread 2 has got to 5. */
static bool only_together(const struct rv_schedule *schedule) {
    bool one = progress(schedule, schedule->run_count, 1) >= 5,
         two = progress(schedule, schedule->run_count, 2) >= 5;
    return one == two;
}

static void pairs_are_dropped_together(void **state) {
    (void)state;
    struct model model = {.fails = only_together};
    struct rv_run runs[] = {{1, 0, 5}, {0, 0, 4}, {2, 0, 5}, {0, 0, 9}};
    struct rv_minimise job = job_for(&model, runs, 4);
    rv_minimise(&job);
    assert_int_equal(job.cost.switches, 0);
    rv_schedule_free(&job.schedule);
}

/* Fails by a time-out of thread 1, or by three switches without one. */
static bool timeout_or_switches(const struct rv_schedule *schedule) {
    for (uint64_t i = 0; i < schedule->run_count; i++)
        if (schedule->runs[i].thread == 1 && schedule->runs[i].flags & RV_RUN_TIMEOUT) return true;
    return rv_schedule_switches(schedule->runs, schedule->run_count) >= 3;
}

static void a_failure_without_time_outs_is_preferred(void **state) {
    (void)state;
    struct model model = {.fails = timeout_or_switches};
    struct rv_run runs[] = {{0, 0, 1}, {1, RV_RUN_TIMEOUT, 2}, {0, 0, 3}, {1, 0, 4}, {0, 0, 5}};
    struct rv_minimise job = job_for(&model, runs, 5);
    rv_minimise(&job);
    assert_int_equal(job.cost.timeouts, 0);
    assert_int_equal(job.cost.switches, 3);
    rv_schedule_free(&job.schedule);
}

/* The third choice must be 2; all others are noise. */
static bool third_choice(const struct rv_schedule *schedule) {
    return schedule->choice_count >= 3 && schedule->choices[2] == 2;
}

static void choices_become_ordinary(void **state) {
    (void)state;
    struct model model = {.fails = third_choice};
    struct rv_run runs[] = {{0, 0, 1}};
    struct rv_minimise job = {.try_schedule = try_model,
                              .context = &model,
                              .trials_max = 2000,
                              .effort_max = 100000,
                              .seconds_max = 1e9};
    uint8_t choices[] = {1, 1, 2, 1, 0, 3, 1, 1};
    job.schedule = rv_schedule_copy(runs, 1, choices, sizeof choices);
    job.cost = (struct rv_cost){.choices = 7};
    rv_minimise(&job);
    assert_int_equal(job.cost.choices, 1);
    assert_int_equal(job.schedule.choices[2], 2);
    rv_schedule_free(&job.schedule);
}

static void limits_hold(void **state) {
    (void)state;
    struct model model = {.fails = lost_update};
    struct rv_run runs[200];
    for (unsigned i = 0; i < 200; i++) runs[i] = (struct rv_run){i % 2 ? 2 : 0, 0, 1 + i / 8};
    runs[198] = (struct rv_run){0, 0, 31};
    runs[199] = (struct rv_run){1, 0, 50};
    struct rv_minimise job = job_for(&model, runs, 200);
    job.trials_max = 5;
    rv_minimise(&job);
    assert_true(job.exhausted);
    assert_true(model.calls <= 5);
    assert_true(lost_update(&job.schedule)); /* whatever was reached, it fails */
    rv_schedule_free(&job.schedule);

    model.calls = 0;
    job = job_for(&model, runs, 200);
    job.effort_max = 41; /* met by the fifth trial */
    rv_minimise(&job);
    assert_true(job.exhausted);
    assert_int_equal(model.calls, 5);
    rv_schedule_free(&job.schedule);

    model.calls = 0;
    job = job_for(&model, runs, 200);
    job.seconds_max = 0;
    rv_minimise(&job);
    assert_true(job.exhausted);
    assert_int_equal(model.calls, 0);
    rv_schedule_free(&job.schedule);
}

static bool never(const struct rv_schedule *schedule) {
    (void)schedule;
    return false;
}

static void the_end_of_trials_ends_the_search(void **state) {
    (void)state;
    struct model model = {.fails = never, .give_up_after = 3};
    struct rv_run *runs = long_schedule(90);
    struct rv_minimise job = {.try_schedule = try_model,
                              .context = &model,
                              .trials_max = 2000,
                              .effort_max = 100000,
                              .seconds_max = 1e9,
                              .schedule = rv_schedule_copy(runs, 90, NULL, 0),
                              .cost = {.preemptions = 89, .switches = 89}};
    rv_minimise(&job);
    assert_true(job.exhausted);
    assert_int_equal(model.calls, 3);
    rv_schedule_free(&job.schedule);
    free(runs);
}

static void costs_are_ordered(void **state) {
    (void)state;
    static const struct rv_cost rising[] = {
        {.preemptions = 0},
        {.switches = 4},
        {.choices = 1},
        {.preemptions = 1},
        {.preemptions = 2, .switches = 3},
        {.timeouts = 1},
        {.timeouts = 2},
        {.preemptions = 1, .timeouts = 1},
    };
    for (size_t i = 0; i < sizeof rising / sizeof *rising; i++)
        for (size_t k = 0; k < sizeof rising / sizeof *rising; k++)
            assert_int_equal(rv_cost_compare(&rising[i], &rising[k]), i < k ? -1 : i > k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_under_any_schedule_becomes_the_empty_one),
        cmocka_unit_test(only_the_switch_that_matters_stays),
        cmocka_unit_test(pairs_are_dropped_together),
        cmocka_unit_test(a_failure_without_time_outs_is_preferred),
        cmocka_unit_test(choices_become_ordinary),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(the_end_of_trials_ends_the_search),
        cmocka_unit_test(costs_are_ordered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
