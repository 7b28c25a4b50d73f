/* Depth first search against brute force, on random programs. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simulator.h"
#include "strategy/dfs.h"

enum { PROGRAMS = 200, LIMIT = 4000 };

static struct sim_knowledge knowledge;
static struct sim_result result;

/* Runs one worker until it has nothing left. False: more than LIMIT executions. */
static bool search(const struct sim_program *program, struct sim_instance *dfs, struct sim_set *states) {
    for (uint64_t i = 0; i < LIMIT; i++) {
        sim_run(program, &knowledge, dfs, i, &result);
        sim_set_add(states, result.final);
        if (!result.go_on) return true;
    }
    return false;
}

/* Learns all there is to learn. False: the program is too large for this test. */
static bool search_until_known(const struct sim_program *program) {
    struct sim_set states = {0};
    struct sim_instance dfs = sim_instance("dfs", 1, 0, 1, UINT64_MAX);
    memset(&knowledge, 0, sizeof knowledge);
    bool small = search(program, &dfs, &states);
    if (small) {
        struct sim_set all = {0};
        sim_final_states(program, &all);
        assert_true(rv_strategy_complete(dfs.strategy, dfs.state));
        assert_true(sim_set_equal(&states, &all));
        sim_set_free(&all);
    }
    sim_set_free(&states);
    sim_instance_free(&dfs);
    return small;
}

static struct sim_program program_of(uint64_t seed) {
    return sim_random_program(seed, 2 + (uint32_t)(seed % 2), seed % 2 ? 3 : 5);
}

/* Every final state that brute force without any conflict history finds, and after learning the exact tree,
 * every schedule once. */
static void every_schedule_once(void **unused) {
    (void)unused;
    unsigned checked = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct sim_program program = program_of(seed);
        if (!search_until_known(&program)) continue;
        struct sim_set expected = {0}, seen = {0};
        assert_true(sim_schedules(&program, &knowledge, LIMIT, &expected));
        struct sim_instance dfs = sim_instance("dfs", 1, 0, 1, UINT64_MAX);
        do {
            sim_run(&program, &knowledge, &dfs, seen.count, &result);
            assert_int_equal(result.learned, 0);
            assert_true(sim_set_add(&seen, result.schedule));
        } while (result.go_on);
        assert_true(rv_strategy_complete(dfs.strategy, dfs.state));
        assert_true(sim_set_equal(&seen, &expected));
        assert_true((uint64_t)rv_dfs_estimate(dfs.state) == seen.count);
        assert_true(rv_dfs_left(dfs.state) == 0);
        sim_instance_free(&dfs);
        sim_set_free(&expected);
        sim_set_free(&seen);
        checked++;
    }
    assert_true(checked > PROGRAMS / 2);
}

/* With the same knowledge, workers divide the tree: together all schedules, each in one worker's part only, but for
 * those too short to be divided. */
static void workers_divide_exactly(void **unused) {
    (void)unused;
    unsigned divided = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct sim_program program = program_of(seed);
        if (!search_until_known(&program)) continue;
        struct sim_set expected = {0};
        assert_true(sim_schedules(&program, &knowledge, LIMIT, &expected));
        for (uint32_t workers = 2; workers <= 4; workers++) {
            struct sim_set seen = {0};
            for (uint32_t worker = 0; worker < workers; worker++) {
                struct sim_instance dfs = sim_instance("dfs", 1, worker, workers, UINT64_MAX);
                uint64_t executions = 0;
                do {
                    sim_run(&program, &knowledge, &dfs, executions++, &result);
                    uint64_t decisions = result.points + result.choice_count;
                    if (!sim_set_add(&seen, result.schedule)) assert_true(decisions < (workers == 2 ? 2 : 3));
                } while (result.go_on);
                assert_true(rv_strategy_complete(dfs.strategy, dfs.state));
                if (expected.count > 100) divided += executions < expected.count * 3 / 4;
                sim_instance_free(&dfs);
            }
            assert_true(sim_set_equal(&seen, &expected));
            sim_set_free(&seen);
        }
        sim_set_free(&expected);
    }
    assert_true(divided > PROGRAMS); /* of the up to 9 workers per program most have much less than all */
}

/* Workers learn for themselves. If in the end all know the same, together they have seen every final state:
 * this is what whoever joins their verdicts may rely on, and it must not be said if they know different things. */
static void workers_that_know_the_same_are_complete_together(void **unused) {
    (void)unused;
    static struct sim_knowledge first;
    unsigned same = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct sim_program program = program_of(seed);
        struct sim_set states = {0}, all = {0};
        bool small = true, equal = true;
        for (uint32_t worker = 0; worker < 3 && small; worker++) {
            struct sim_instance dfs = sim_instance("dfs", 1, worker, 3, UINT64_MAX);
            memset(&knowledge, 0, sizeof knowledge);
            small = search(&program, &dfs, &states);
            if (worker == 0)
                first = knowledge;
            else
                equal &= memcmp(first.conflict, knowledge.conflict, sizeof first.conflict) == 0;
            sim_instance_free(&dfs);
        }
        if (small) {
            sim_final_states(&program, &all);
            bool whole = sim_set_equal(&states, &all);
            if (equal) assert_true(whole);
            same += equal;
        }
        sim_set_free(&states);
        sim_set_free(&all);
    }
    assert_true(same > PROGRAMS / 4);
}

/* The bounded search: the same schedules in the end, and none with b disturbances before all those with fewer. */
static void fewer_preemptions_first(void **unused) {
    (void)unused;
    unsigned checked = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS / 2; seed++) {
        struct sim_program program = program_of(seed);
        if (!search_until_known(&program)) continue;
        enum { MOST = 64 };
        uint64_t with[MOST] = {0}, expected = 0, most = 0;
        struct sim_instance dfs = sim_instance("dfs", 1, 0, 1, UINT64_MAX);
        do {
            sim_run(&program, &knowledge, &dfs, 0, &result);
            with[result.disturbances]++;
        } while (result.go_on);
        struct sim_instance bounded = sim_instance("bounded", 1, 0, 1, UINT64_MAX);
        struct sim_set seen = {0};
        do {
            sim_run(&program, &knowledge, &bounded, 0, &result);
            for (; most < result.disturbances; most++) {
                expected += with[most];
                assert_int_equal(seen.count, expected);
            }
            sim_set_add(&seen, result.schedule);
        } while (result.go_on);
        for (; most < MOST; most++) expected += with[most];
        assert_int_equal(seen.count, expected);
        assert_true(rv_strategy_complete(bounded.strategy, bounded.state));
        sim_set_free(&seen);
        sim_instance_free(&dfs);
        sim_instance_free(&bounded);
        checked++;
    }
    assert_true(checked > PROGRAMS / 5);
}

/* The estimate: what is left only becomes less, and on a tree whose leaves are all equally deep (five choices of three) it is
 * the truth all the time. */
static void estimate_is_exact_on_a_balanced_tree(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    for (int i = 0; i < 5; i++) sim_op(&program, 0, SIM_CHOOSE, 0, 3);
    struct sim_instance dfs = sim_instance("dfs", 1, 0, 1, UINT64_MAX);
    struct rv_search_progress progress;
    double left = 1;
    memset(&knowledge, 0, sizeof knowledge);
    dfs.strategy->progress(dfs.state, &progress);
    assert_true(progress.left == 1);
    do {
        sim_run(&program, &knowledge, &dfs, 0, &result);
        dfs.strategy->progress(dfs.state, &progress);
        assert_true(progress.left < left);
        left = progress.left;
        double estimate = (double)progress.executions / (1 - left);
        assert_true(estimate > 242.999 && estimate < 243.001);
    } while (result.go_on);
    assert_int_equal(progress.executions, 243);
    assert_true(left == 0);
    sim_instance_free(&dfs);
}

static void estimate_ends_at_the_truth(void **unused) {
    (void)unused;
    static const char *const searches[] = {"dfs", "dpor"};
    unsigned ended = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct sim_program program = program_of(seed);
        if (!search_until_known(&program)) continue;
        for (unsigned i = 0; i < 2; i++) {
            struct sim_instance search = sim_instance(searches[i], 1, 0, 1, UINT64_MAX);
            struct rv_search_progress progress;
            uint64_t executions = 0;
            double left = 1;
            do {
                sim_run(&program, &knowledge, &search, executions++, &result);
                search.strategy->progress(search.state, &progress);
                assert_true(progress.left >= 0 && progress.left <= 1);
                assert_true(progress.grows || progress.left <= left);
                left = progress.left;
            } while (result.go_on && executions < LIMIT);
            ended += !result.go_on;
            if (!result.go_on) assert_true(left == 0);
            if (!result.go_on) assert_int_equal(progress.executions, executions);
            sim_instance_free(&search);
        }
    }
    assert_true(ended > PROGRAMS);
}

/* A program that changes under the search is never called completely searched. */
static void nondeterminism_is_not_complete(void **unused) {
    (void)unused;
    struct sim_program first = {0}, second = {0};
    for (uint32_t body = 1; body <= 2; body++) {
        sim_op(&first, body, SIM_ADD, 0, 1);
        sim_op(&second, body, SIM_ADD, 0, 1);
    }
    sim_op(&second, 1, SIM_ADD, 0, 1);
    sim_create_all(&first, 2);
    sim_create_all(&second, 2);
    memset(&knowledge, 0, sizeof knowledge);
    memset(knowledge.conflict, true, sizeof knowledge.conflict);
    struct sim_instance dfs = sim_instance("dfs", 1, 0, 1, UINT64_MAX);
    for (uint64_t i = 0; i < 1000; i++) {
        sim_run(i % 3 ? &first : &second, &knowledge, &dfs, i, &result);
        assert_true(result.go_on);
    }
    assert_true(rv_dfs_hopeless(dfs.state));
    sim_instance_free(&dfs);
}

/* A part of the tree beyond max_steps is not searched, and the search says so. */
static void cut_off_is_not_complete(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    sim_op(&program, 1, SIM_ADD, 0, 1);
    sim_create_all(&program, 1);
    memset(&knowledge, 0, sizeof knowledge);
    struct sim_instance dfs = sim_instance("dfs", 1, 0, 1, UINT64_MAX);
    struct rv_strategy_end cut = {.not_terminating = true};
    dfs.strategy->begin(dfs.state, 0);
    assert_false(dfs.strategy->end(dfs.state, &cut));
    assert_false(rv_strategy_complete(dfs.strategy, dfs.state));
    assert_true(rv_dfs_hopeless(dfs.state));
    sim_instance_free(&dfs);
}

/* A full arena ends the search early and honestly. */
static void full_arena_is_not_complete(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    for (uint32_t body = 1; body <= 2; body++)
        for (int i = 0; i < 20; i++) sim_op(&program, body, SIM_ADD, 0, 1);
    sim_create_all(&program, 2);
    memset(&knowledge, 0, sizeof knowledge);
    struct sim_instance dfs = sim_instance("dfs", 1, 0, 1, UINT64_MAX);
    rv_arena_alloc(dfs.arena, dfs.arena->size - dfs.arena->used - 300);
    uint64_t executions = 0;
    do {
        sim_run(&program, &knowledge, &dfs, executions++, &result);
    } while (result.go_on && executions < 1000000);
    assert_false(result.go_on);
    assert_false(rv_strategy_complete(dfs.strategy, dfs.state));
    sim_instance_free(&dfs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_schedule_once),
        cmocka_unit_test(workers_divide_exactly),
        cmocka_unit_test(workers_that_know_the_same_are_complete_together),
        cmocka_unit_test(fewer_preemptions_first),
        cmocka_unit_test(estimate_is_exact_on_a_balanced_tree),
        cmocka_unit_test(estimate_ends_at_the_truth),
        cmocka_unit_test(nondeterminism_is_not_complete),
        cmocka_unit_test(cut_off_is_not_complete),
        cmocka_unit_test(full_arena_is_not_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
