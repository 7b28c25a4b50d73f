/* Recorded schedules replayed: identical executions, whatever the strategy that made them and whatever was
 * known. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "simulator.h"
#include "strategy/schedule.h"

static struct sim_knowledge knowledge, nothing_known;
static struct sim_result recorded, replayed;

static void replay(const struct sim_program *program, const struct rv_run *runs, uint64_t count) {
    struct sim_instance player = sim_instance("replay", 1, 0, 1, 1);
    struct rv_replay_input input = {runs, count, recorded.choices, recorded.choice_count};
    rv_replay_set(player.state, &input);
    memset(nothing_known.conflict, 0, sizeof nothing_known.conflict);
    sim_run(program, &nothing_known, &player, 0, &replayed);
    assert_false(replayed.go_on);
    assert_int_equal(rv_replay_deviations(player.state), 0);
    sim_instance_free(&player);
}

static void assert_identical(void) {
    assert_true(replayed.schedule == recorded.schedule);
    assert_true(replayed.final == recorded.final);
    assert_int_equal(replayed.kind, recorded.kind);
}

static void replay_is_identical(void **unused) {
    (void)unused;
    static const char *const makers[] = {"random", "random:0.3", "pct:4", "pos", "surw", "rf", "dfs", "auto"};
    for (uint64_t seed = 1; seed <= 350; seed++) {
        struct sim_program program = sim_random_program(seed, 1 + (uint32_t)(seed % 4), 6);
        struct sim_instance maker = sim_instance(makers[seed % 8], seed, 0, 1, 1000);
        memset(&knowledge, 0, sizeof knowledge);
        for (uint64_t i = 0; i < 10; i++) {
            sim_run(&program, &knowledge, &maker, i, &recorded);
            replay(&program, recorded.runs, recorded.run_count);
            assert_identical();
            if (!recorded.go_on) break;
        }
        sim_instance_free(&maker);
    }
}

/* Runs cut into pieces, with pieces without progress in between, mean the same; normalised they are the
 * shortest form, and that is stable. */
static void normalise_keeps_the_meaning(void **unused) {
    (void)unused;
    static struct rv_run runs[4 * SIM_RUNS];
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct sim_program program = sim_random_program(seed, 3, 6);
        struct sim_instance maker = sim_instance("random", seed, 0, 1, 1000);
        struct rv_rng rng = rv_rng_stream(seed, 5);
        memset(&knowledge, 0, sizeof knowledge);
        memset(knowledge.conflict, true, sizeof knowledge.conflict);
        sim_run(&program, &knowledge, &maker, 0, &recorded);
        uint64_t count = 0;
        for (uint64_t i = 0; i < recorded.run_count; i++) {
            struct rv_run run = recorded.runs[i];
            uint64_t begin = 0;
            for (uint64_t j = 0; j < i; j++)
                if (recorded.runs[j].thread == run.thread) begin = recorded.runs[j].until;
            /* A piece of the run, the run, and a repetition of what an earlier run already reached. */
            if (run.until - begin > 1 && rv_rng_below(&rng, 2)) {
                runs[count++] = (struct rv_run){run.thread, run.flags, begin + 1};
                run.flags = 0;
            }
            runs[count++] = run;
            uint64_t again = rv_rng_below(&rng, i + 1);
            if (!(recorded.runs[again].flags & RV_RUN_TIMEOUT)) runs[count++] = recorded.runs[again];
        }
        uint64_t shortest = rv_schedule_normalise(runs, count);
        assert_int_equal(shortest, recorded.run_count);
        assert_memory_equal(runs, recorded.runs, shortest * sizeof *runs);
        assert_int_equal(rv_schedule_normalise(runs, shortest), shortest);
        replay(&program, runs, shortest);
        assert_identical();
        sim_instance_free(&maker);
    }
}

static void counts_switches_and_timeouts(void **unused) {
    (void)unused;
    struct rv_run runs[] = {{0, 0, 3}, {1, 0, 2}, {1, RV_RUN_TIMEOUT, 5}, {0, 0, UINT64_MAX}};
    assert_int_equal(rv_schedule_switches(runs, 4), 2);
    assert_int_equal(rv_schedule_timeouts(runs, 4), 1);
    assert_int_equal(rv_schedule_normalise(runs, 4), 4);
    struct rv_run late[] = {{0, 0, 3}, {1, 0, 2}, {0, RV_RUN_TIMEOUT, 3}, {1, 0, 2}, {0, 0, 3}};
    assert_int_equal(rv_schedule_normalise(late, 5), 3); /* a time-out is a decision, whatever its end */
    assert_int_equal(late[2].flags, RV_RUN_TIMEOUT);
    assert_int_equal(rv_schedule_switches(runs, 0), 0);
    assert_int_equal(rv_schedule_normalise(runs, 0), 0);
}

/* A schedule that does not fit is followed as far as possible, and the difference is counted. */
static void deviations_are_counted(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    sim_op(&program, 1, SIM_WAIT, 0, 0);
    sim_create_all(&program, 1);
    struct rv_run blocked[] = {{0, 0, 1}, {1, 0, 1}, {1, 0, 2}};
    struct rv_run absent[] = {{5, 0, 1}};
    struct rv_run no_timeout[] = {{0, 0, 1}, {1, RV_RUN_TIMEOUT, 1}};
    struct {
        struct rv_run *runs;
        uint64_t count;
    } cases[] = {{blocked, 3}, {absent, 1}, {no_timeout, 2}};
    for (size_t i = 0; i < 3; i++) {
        struct sim_instance player = sim_instance("replay", 1, 0, 1, 1);
        struct rv_replay_input input = {.runs = cases[i].runs, .run_count = cases[i].count};
        rv_replay_set(player.state, &input);
        memset(nothing_known.conflict, 0, sizeof nothing_known.conflict);
        sim_run(&program, &nothing_known, &player, 0, &replayed);
        assert_int_equal(replayed.kind, RV_KIND_DEADLOCK);
        /* In the first case the blocked thread is never seen again: nothing contradicts the schedule. */
        assert_int_equal(rv_replay_deviations(player.state), i == 0 ? 0 : 1);
        sim_instance_free(&player);
    }
}

/* No schedule at all: the default policy, which is what dfs and auto do first. */
static void default_schedule_comes_first(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct sim_program program = sim_random_program(seed, 3, 6);
        static const char *const firsts[] = {"dfs", "auto"};
        for (size_t i = 0; i < 2; i++) {
            struct sim_instance first = sim_instance(firsts[i], seed, 0, 1, 1000);
            memset(&knowledge, 0, sizeof knowledge);
            sim_run(&program, &knowledge, &first, 0, &recorded);
            replay(&program, NULL, 0);
            assert_identical();
            sim_instance_free(&first);
        }
    }
}

/* The default policy: stay; after a yield the next in turn; then the lowest; time-outs last, and in turn as
 * well. */
static void default_policy_is_fair(void **unused) {
    (void)unused;
    struct rv_candidate three[] = {{.thread = 1}, {.thread = 2}, {.thread = 3, .timeout = true}};
    struct rv_point point = {.candidates = three, .count = 3, .current = 2, .current_index = 1};
    assert_int_equal(rv_default_pick(&point), 1);
    point.yielded = true; /* nobody beyond 2 goes on normally */
    assert_int_equal(rv_default_pick(&point), 0);
    point.current = 1;
    point.current_index = 0;
    assert_int_equal(rv_default_pick(&point), 1);
    struct rv_candidate sleepers[] = {{.thread = 1, .timeout = true}, {.thread = 2, .timeout = true}};
    point = (struct rv_point){.candidates = sleepers, .count = 2, .current = 1, .current_index = -1};
    assert_int_equal(rv_default_pick(&point), 1);
    point.current = 2;
    assert_int_equal(rv_default_pick(&point), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replay_is_identical),          cmocka_unit_test(normalise_keeps_the_meaning),
        cmocka_unit_test(counts_switches_and_timeouts), cmocka_unit_test(deviations_are_counted),
        cmocka_unit_test(default_schedule_comes_first), cmocka_unit_test(default_policy_is_fair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
