/* The searches with a last bound, pcb and delay, against brute force on random programs. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "simulator.h"

/* Of MANY programs ENOUGH must be small enough to be searched within LIMIT executions. */
enum { PROGRAMS = 150, MANY = 5500, ENOUGH = 5000, LIMIT = 4000, BOUNDS = 3, LARGE = 1000000 };

static struct sim_knowledge knowledge;
static struct sim_result result;

static struct sim_program program_of(uint64_t seed) {
    return sim_random_program(seed, 2 + (uint32_t)(seed % 2), seed % 2 ? 3 : 5);
}

/* All schedules, and the same by what they cost, for the costs below BOUNDS. */
struct truth {
    struct sim_set all;
    struct sim_set preemptions[BOUNDS], delays[BOUNDS]; /* at most so many */
};

static void truth_free(struct truth *truth) {
    sim_set_free(&truth->all);
    for (uint32_t bound = 0; bound < BOUNDS; bound++) {
        sim_set_free(&truth->preemptions[bound]);
        sim_set_free(&truth->delays[bound]);
    }
}

/* Learns all there is to learn about the program. False: it is too large for this test. */
static bool learn(const struct sim_program *program) {
    struct sim_instance dfs = sim_instance("dfs", 1, 0, 1, UINT64_MAX);
    memset(&knowledge, 0, sizeof knowledge);
    uint64_t executions = 0;
    do sim_run(program, &knowledge, &dfs, executions, &result);
    while (result.go_on && ++executions < LIMIT);
    bool small = !result.go_on;
    sim_instance_free(&dfs);
    return small;
}

/* What brute force says are the schedules, sorted by the simulator's own count of what they cost. */
static bool find_truth(const struct sim_program *program, struct truth *truth) {
    if (!learn(program)) return false;
    *truth = (struct truth){0};
    assert_true(sim_schedules(program, &knowledge, LIMIT, &truth->all));
    struct sim_instance dfs = sim_instance("dfs", 1, 0, 1, UINT64_MAX);
    uint64_t executions = 0;
    do {
        sim_run(program, &knowledge, &dfs, executions++, &result);
        assert_true(sim_set_has(&truth->all, result.schedule));
        for (uint32_t bound = 0; bound < BOUNDS; bound++) {
            if (result.preemptions <= bound) sim_set_add(&truth->preemptions[bound], result.schedule);
            if (result.delays <= bound) sim_set_add(&truth->delays[bound], result.schedule);
        }
    } while (result.go_on);
    assert_int_equal(executions, truth->all.count);
    sim_instance_free(&dfs);
    return true;
}

/* Adds what the strategy executes until it ends; whether it calls itself complete. */
static bool search(const struct sim_program *program, const char *name, uint32_t bound, uint32_t worker,
                   uint32_t workers, struct sim_set *seen) {
    char spec[32];
    snprintf(spec, sizeof spec, "%s:%u", name, bound);
    struct sim_instance bounded = sim_instance(spec, 1, worker, workers, UINT64_MAX);
    uint64_t executions = 0;
    do {
        sim_run(program, &knowledge, &bounded, executions++, &result);
        assert_int_equal(result.learned, 0);
        sim_set_add(seen, result.schedule);
        uint64_t cost = strcmp(name, "pcb") == 0 ? result.preemptions : result.delays;
        assert_true(cost <= bound);
    } while (result.go_on);
    bool complete = rv_strategy_complete(bounded.strategy, bounded.state);
    sim_instance_free(&bounded);
    return complete;
}

/* One worker or several: the schedules within the bound, no more and no less; complete if these are all. */
static void check_bound(const struct sim_program *program, const char *name, uint32_t bound,
                        const struct sim_set *expected, const struct sim_set *all) {
    for (uint32_t workers = 1; workers <= 3; workers++) {
        struct sim_set seen = {0};
        bool complete = true;
        for (uint32_t worker = 0; worker < workers; worker++)
            complete &= search(program, name, bound, worker, workers, &seen);
        assert_true(sim_set_equal(&seen, expected));
        assert_int_equal(complete, expected->count == all->count);
        sim_set_free(&seen);
    }
}

/* For each bound, and for one that leaves nothing out. */
static void check_bounds(const char *name, bool delays) {
    unsigned checked = 0, limited = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct sim_program program = program_of(seed);
        struct truth truth;
        if (!find_truth(&program, &truth)) continue;
        const struct sim_set *expected = delays ? truth.delays : truth.preemptions;
        for (uint32_t bound = 0; bound < BOUNDS; bound++)
            check_bound(&program, name, bound, &expected[bound], &truth.all);
        check_bound(&program, name, LARGE, &truth.all, &truth.all);
        limited += expected[BOUNDS - 1].count < truth.all.count;
        truth_free(&truth);
        checked++;
    }
    assert_true(checked > PROGRAMS / 2);
    assert_true(limited > PROGRAMS / 10);
}

static void pcb_is_dfs_with_few_preemptions(void **unused) {
    (void)unused;
    check_bounds("pcb", false);
}

static void delay_is_dfs_with_few_delays(void **unused) {
    (void)unused;
    check_bounds("delay", true);
}

/* Whether pcb, knowing nothing at first, ended before it was too much for this test. */
static bool reaches_what_brute_force_reaches(const struct sim_program *program, uint32_t bound,
                                             const struct sim_set *all) {
    char spec[32];
    snprintf(spec, sizeof spec, "pcb:%u", bound);
    struct sim_instance pcb = sim_instance(spec, 1, 0, 1, UINT64_MAX);
    struct sim_set reached = {0}, expected = {0};
    uint64_t executions = 0;
    memset(&knowledge, 0, sizeof knowledge);
    do {
        sim_run(program, &knowledge, &pcb, executions, &result);
        sim_set_add(&reached, result.final);
        assert_true(result.preemptions <= bound);
    } while (result.go_on && ++executions < LIMIT);
    bool ended = !result.go_on;
    sim_bounded_states(program, bound, &expected);
    if (ended) {
        assert_true(sim_set_equal(&reached, &expected));
        if (rv_strategy_complete(pcb.strategy, pcb.state)) assert_true(sim_set_equal(&reached, all));
    }
    sim_set_free(&reached);
    sim_set_free(&expected);
    sim_instance_free(&pcb);
    return ended;
}

/* The final states with at most so many preemptions, every operation being a point: no conflict that pcb could not learn
 * within its bound is missed. */
static void pcb_reaches_what_brute_force_reaches(void **unused) {
    (void)unused;
    unsigned ended[BOUNDS] = {0};
    for (uint64_t seed = 1; seed <= MANY; seed++) {
        struct sim_program program = program_of(seed);
        struct sim_set all = {0};
        sim_final_states(&program, &all);
        for (uint32_t bound = 0; bound < BOUNDS; bound++)
            ended[bound] += reaches_what_brute_force_reaches(&program, bound, &all);
        sim_set_free(&all);
    }
    print_message("programs searched to the end with 0, 1, 2 preemptions: %u %u %u\n", ended[0], ended[1],
                  ended[2]);
    for (uint32_t bound = 0; bound < BOUNDS; bound++) assert_true(ended[bound] >= ENOUGH);
}

static bool chooses(const struct sim_program *program) {
    for (uint32_t body = 0; body < SIM_BODIES; body++)
        for (uint32_t i = 0; i < program->bodies[body].count; i++)
            if (program->bodies[body].ops[i].op == SIM_CHOOSE) return true;
    return false;
}

/* Whatever the program, large ones too: without delays there is nothing to decide but choose(). */
static void no_delay_is_one_schedule(void **unused) {
    (void)unused;
    unsigned single = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct sim_program program = sim_random_program(seed, 4, 12);
        if (chooses(&program)) continue;
        memset(&knowledge, 0, sizeof knowledge);
        memset(knowledge.conflict, true, sizeof knowledge.conflict);
        struct sim_set seen = {0};
        search(&program, "delay", 0, 0, 1, &seen);
        assert_int_equal(seen.count, 1);
        sim_set_free(&seen);
        single++;
    }
    assert_true(single > 10);
}

/* The round, by hand: 0 creates 1, 2 and 3 and waits for 1; so they run in turn. One delay lets one of them be passed over
 * for as long as the next one runs. */
static void the_round_goes_on_from_who_was_taken(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    for (uint32_t body = 1; body <= 3; body++) sim_op(&program, body, SIM_MARK, 0, (int32_t)body);
    sim_create_all(&program, 3);
    memset(&knowledge, 0, sizeof knowledge);
    memset(knowledge.conflict, true, sizeof knowledge.conflict);
    struct sim_instance none = sim_instance("delay:0", 1, 0, 1, UINT64_MAX);
    sim_run(&program, &knowledge, &none, 0, &result);
    assert_false(result.go_on);
    assert_int_equal(result.variables[0], (1 * 4 + 2) * 4 + 3);
    sim_instance_free(&none);
    struct sim_instance one = sim_instance("delay:1", 1, 0, 1, UINT64_MAX);
    bool passed_over = false; /* 1 is delayed: 2, 3 and then, round the corner, 1 */
    do {
        sim_run(&program, &knowledge, &one, 0, &result);
        passed_over |= result.variables[0] == (2 * 4 + 3) * 4 + 1;
        assert_int_not_equal(result.variables[0], (3 * 4 + 2) * 4 + 1); /* needs more */
    } while (result.go_on);
    assert_true(passed_over);
    sim_instance_free(&one);
}

/* The same executions in the same order, whatever the seed, also while conflicts are still being learned. */
static void the_same_each_time(void **unused) {
    (void)unused;
    static const char *const specs[] = {"pcb", "pcb:1", "delay", "delay:3"};
    for (uint64_t seed = 1; seed <= PROGRAMS / 3; seed++) {
        struct sim_program program = program_of(seed);
        for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
            uint64_t hashes[2] = {0}, executions[2] = {0};
            for (int time = 0; time < 2; time++) {
                struct sim_instance bounded = sim_instance(specs[s], 1 + (uint64_t)time, 0, 1, UINT64_MAX);
                memset(&knowledge, 0, sizeof knowledge);
                do {
                    sim_run(&program, &knowledge, &bounded, executions[time]++, &result);
                    hashes[time] = hashes[time] * 31 + result.schedule;
                } while (result.go_on && executions[time] < LIMIT);
                sim_instance_free(&bounded);
            }
            assert_true(hashes[0] == hashes[1]);
            assert_int_equal(executions[0], executions[1]);
        }
    }
}

/* "NAME" is "NAME:2". */
static void two_is_the_default(void **unused) {
    (void)unused;
    static const char *const specs[2][2] = {{"pcb", "pcb:2"}, {"delay", "delay:2"}};
    for (uint64_t seed = 1; seed <= PROGRAMS / 3; seed++) {
        struct sim_program program = program_of(seed);
        if (!learn(&program)) continue;
        for (int pair = 0; pair < 2; pair++) {
            uint64_t executions[2] = {0};
            for (int i = 0; i < 2; i++) {
                struct sim_instance bounded = sim_instance(specs[pair][i], 1, 0, 1, UINT64_MAX);
                do sim_run(&program, &knowledge, &bounded, executions[i]++, &result);
                while (result.go_on);
                sim_instance_free(&bounded);
            }
            assert_int_equal(executions[0], executions[1]);
        }
    }
}

/* One execution in which the program was another: the search still ends, and never calls itself complete. */
static void nondeterminism_is_not_complete(void **unused) {
    (void)unused;
    struct sim_program usual = {0}, once = {0};
    sim_op(&once, 0, SIM_ADD, 1, 1); /* so that main's steps have other numbers */
    for (uint32_t body = 1; body <= 2; body++) {
        sim_op(&usual, body, SIM_ADD, 0, 1);
        sim_op(&once, body, SIM_ADD, 0, 1);
    }
    sim_create_all(&usual, 2);
    sim_create_all(&once, 2);
    memset(&knowledge, 0, sizeof knowledge);
    memset(knowledge.conflict, true, sizeof knowledge.conflict);
    static const char *const specs[] = {"pcb:9", "delay:9"};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        for (uint64_t other = 5; other <= 15;
             other++) { /* there main is among the candidates of the first decision */
            struct sim_instance bounded = sim_instance(specs[s], 1, 0, 1, UINT64_MAX);
            uint64_t executions = 0;
            do sim_run(executions == other ? &once : &usual, &knowledge, &bounded, executions, &result);
            while (result.go_on && ++executions < LIMIT);
            assert_false(result.go_on);
            assert_false(rv_strategy_complete(bounded.strategy, bounded.state));
            sim_instance_free(&bounded);
        }
    }
}

static void bounds_are_whole_numbers(void **unused) {
    (void)unused;
    static const char *const names[] = {"pcb", "delay"};
    static const char *const good[] = {"0", "1", "2", "007", "1000000"};
    static const char *const bad[] = {"",   "x",   "-1", "+1",  "1.5",     " 1",
                                      "1 ", "0x1", "2:", "1,2", "1000001", "18446744073709551616"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const char *params;
        const struct rv_strategy *strategy = rv_strategy_find(names[n], &params);
        assert_non_null(strategy);
        assert_false(strategy->internal);
        assert_null(strategy->check(NULL));
        for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_null(strategy->check(good[i]));
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            const char *problem = strategy->check(bad[i]);
            assert_non_null(problem);
            assert_null(strchr(problem, '\n'));
            assert_non_null(strstr(problem, "from 0 to 1000000"));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pcb_is_dfs_with_few_preemptions),
        cmocka_unit_test(pcb_reaches_what_brute_force_reaches),
        cmocka_unit_test(delay_is_dfs_with_few_delays),
        cmocka_unit_test(no_delay_is_one_schedule),
        cmocka_unit_test(the_round_goes_on_from_who_was_taken),
        cmocka_unit_test(the_same_each_time),
        cmocka_unit_test(two_is_the_default),
        cmocka_unit_test(nondeterminism_is_not_complete),
        cmocka_unit_test(bounds_are_whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
