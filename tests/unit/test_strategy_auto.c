/* The portfolio: finds bugs of all depths, and proves small programs right. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simulator.h"

enum { BUDGET = 10000 };

static struct sim_knowledge knowledge;
static struct sim_result result;

struct campaign {
    uint64_t executions;
    uint64_t failure; /* 1 + index of the first failing execution; 0: none */
    bool complete;
};

/* As the engine runs it. With `stop`, until the first failure. */
static struct campaign explore(const struct sim_program *program, uint64_t seed, uint32_t worker,
                               uint32_t workers, bool stop, struct sim_set *states) {
    struct sim_instance instance = sim_instance("auto", seed, worker, workers, BUDGET / workers);
    struct campaign campaign = {0};
    memset(&knowledge, 0, sizeof knowledge);
    for (uint64_t index = worker; index < BUDGET; index += workers) {
        sim_run(program, &knowledge, &instance, index, &result);
        campaign.executions++;
        if (states) sim_set_add(states, result.final);
        if (result.kind != RV_KIND_NONE && !campaign.failure) campaign.failure = index + 1;
        if (campaign.failure && stop) break;
        if (result.go_on) continue;
        campaign.complete = rv_strategy_complete(instance.strategy, instance.state);
        break;
    }
    sim_instance_free(&instance);
    return campaign;
}

static void chatter(struct sim_program *program, uint32_t body, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) sim_op(program, body, SIM_ADD, 7, 1);
}

static void assert_found(const struct sim_program *program, const char *what) {
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct campaign campaign = explore(program, seed, 0, 1, true, NULL);
        if (!campaign.failure) print_error("%s not found with seed %u\n", what, (unsigned)seed);
        assert_true(campaign.failure);
    }
}

/* One order of two threads that long work before makes improbable in a random walk. */
static void finds_depth_1(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    sim_op(&program, 1, SIM_WRITE, 0, 1);
    chatter(&program, 2, 60);
    sim_op(&program, 2, SIM_READ, 0, 0);
    sim_op(&program, 2, SIM_FAIL_IF, 0, 0);
    sim_create_all(&program, 2);
    assert_found(&program, "depth 1");
}

/* A read between two writes, in the middle of long threads. */
static void finds_depth_2(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    chatter(&program, 1, 40);
    sim_op(&program, 1, SIM_WRITE, 0, 1);
    sim_op(&program, 1, SIM_WRITE, 0, 0);
    chatter(&program, 1, 40);
    chatter(&program, 2, 20);
    sim_op(&program, 2, SIM_READ, 0, 0);
    sim_op(&program, 2, SIM_FAIL_IF, 0, 1);
    chatter(&program, 2, 20);
    sim_create_all(&program, 2);
    assert_found(&program, "depth 2");
}

/* There and back again between two threads. */
static void finds_depth_3(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    chatter(&program, 1, 8);
    sim_op(&program, 1, SIM_WRITE, 0, 1);
    sim_op(&program, 1, SIM_WRITE, 0, 0);
    chatter(&program, 1, 4);
    sim_op(&program, 1, SIM_READ, 1, 0);
    sim_op(&program, 1, SIM_FAIL_IF, 0, 1);
    chatter(&program, 2, 8);
    sim_op(&program, 2, SIM_READ, 0, 0);
    sim_op(&program, 2, SIM_STORE, 1, 0);
    sim_op(&program, 2, SIM_WRITE, 1, 0);
    chatter(&program, 2, 8);
    sim_create_all(&program, 2);
    assert_found(&program, "depth 3");
}

/* Two mutexes in opposite order, after some work. */
static void finds_deadlock(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    for (uint32_t body = 1; body <= 2; body++) {
        chatter(&program, body, 20);
        sim_op(&program, body, SIM_LOCK, body - 1, 0);
        sim_op(&program, body, SIM_LOCK, 2 - body, 0);
        sim_op(&program, body, SIM_UNLOCK, 2 - body, 0);
        sim_op(&program, body, SIM_UNLOCK, body - 1, 0);
        chatter(&program, body, 20);
    }
    sim_create_all(&program, 2);
    assert_found(&program, "deadlock");
}

/* A queue that overflows only if one thread gets twelve steps ahead of the other. */
static void finds_full_queue(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    for (int i = 0; i < 12; i++) {
        sim_op(&program, 1, SIM_ADD, 0, 1);
        sim_op(&program, 1, SIM_FAIL_IF, 0, 11);
        sim_op(&program, 2, SIM_ADD, 0, -1);
    }
    chatter(&program, 1, 10);
    chatter(&program, 2, 10);
    sim_create_all(&program, 2);
    assert_found(&program, "full queue");
}

/* The tree is so large that the part done is 0 for a double: that is not a tree with nothing left, and the
 * samplers get their turns. */
static void is_not_fooled_by_a_gigantic_tree(void **unused) {
    (void)unused;
    enum { CHOICES = 60, WAYS = 1 << 20 };
    struct sim_program program = {0};
    chatter(&program, 1, 40);
    sim_op(&program, 1, SIM_WRITE, 0, 1);
    sim_op(&program, 1, SIM_WRITE, 0, 0);
    chatter(&program, 1, 40);
    chatter(&program, 2, 20);
    sim_op(&program, 2, SIM_READ, 0, 0);
    sim_op(&program, 2, SIM_FAIL_IF, 0, 1);
    for (uint32_t i = 0; i < CHOICES; i++) sim_op(&program, 0, SIM_CHOOSE, 0, WAYS);
    sim_create_all(&program, 2);
    assert_found(&program, "depth 2 in a gigantic tree");
}

/* Small programs end before the budget, called complete, with every final state seen. */
static void completes_small_programs(void **unused) {
    (void)unused;
    unsigned completed = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct sim_program program = sim_random_program(seed, 2, 4);
        struct sim_set states = {0}, all = {0};
        struct campaign campaign = explore(&program, seed, 0, 1, false, &states);
        sim_final_states(&program, &all);
        if (campaign.complete) {
            assert_true(sim_set_equal(&states, &all));
            completed++;
        }
        sim_set_free(&states);
        sim_set_free(&all);
    }
    assert_true(completed > 150);
}

/* A program with one schedule needs hardly more than one execution. */
static void ends_at_once_when_there_is_nothing_to_choose(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    sim_op(&program, 0, SIM_WRITE, 0, 1);
    struct campaign campaign = explore(&program, 1, 0, 1, false, NULL);
    assert_true(campaign.complete);
    assert_int_equal(campaign.executions, 1);
}

/* A large program is never called complete, and dfs does not eat the budget: the samplers get most of it. */
static void large_programs_use_the_whole_budget(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    for (uint32_t body = 1; body <= 3; body++) chatter(&program, body, 40);
    sim_create_all(&program, 3);
    struct sim_set schedules = {0};
    struct sim_instance instance = sim_instance("auto", 1, 0, 1, BUDGET);
    memset(&knowledge, 0, sizeof knowledge);
    for (uint64_t i = 0; i < BUDGET; i++) {
        sim_run(&program, &knowledge, &instance, i, &result);
        assert_true(result.go_on);
        sim_set_add(&schedules, result.schedule);
    }
    assert_false(rv_strategy_complete(instance.strategy, instance.state));
    assert_true(schedules.count > BUDGET * 3 / 4); /* pct with few changes repeats itself now and then */
    sim_set_free(&schedules);
    sim_instance_free(&instance);
}

/* Workers with the same knowledge together see everything; each is complete for its part. The program is all
 * choices of which samplers mostly take the first, so it is dfs that sees the rest. */
static void workers_complete_together(void **unused) {
    (void)unused;
    enum { WAYS = 24 };
    struct sim_program program = {0};
    for (uint32_t i = 0; i < 2; i++) {
        sim_op(&program, 0, SIM_CHOOSE, 0, WAYS);
        sim_op(&program, 0, SIM_STORE, i, 0);
    }
    struct sim_set states = {0};
    for (uint32_t worker = 0; worker < 3; worker++) {
        struct campaign campaign = explore(&program, 1, worker, 3, false, &states);
        assert_true(campaign.complete);
        assert_true(campaign.executions < WAYS * WAYS);
    }
    assert_int_equal(states.count, WAYS * WAYS);
    sim_set_free(&states);
}

/* Searching cannot end where executions do not: no verdict, but no end either. */
static void cut_off_executions_are_not_complete(void **unused) {
    (void)unused;
    struct sim_instance instance = sim_instance("auto", 1, 0, 1, BUDGET);
    struct rv_strategy_end cut = {.not_terminating = true};
    for (uint64_t i = 0; i < 100; i++) {
        instance.strategy->begin(instance.state, i);
        assert_true(instance.strategy->end(instance.state, &cut));
    }
    sim_instance_free(&instance);
}

/* What others learned between two executions of dfs makes it search again before it says complete. */
static void learning_elsewhere_delays_the_verdict(void **unused) {
    (void)unused;
    struct sim_instance instance = sim_instance("auto", 1, 0, 1, BUDGET);
    struct rv_strategy_end nothing = {.points = 1}, something = {.learned = 1};
    uint64_t i = 0;
    for (; i < 16; i++) { /* the first one is dfs's: no decision, one leaf; then it is the others' turn */
        instance.strategy->begin(instance.state, i);
        assert_true(instance.strategy->end(instance.state, &something));
    }
    instance.strategy->begin(instance.state, i++);
    assert_true(instance.strategy->end(instance.state, &nothing)); /* dfs is told, and begins again */
    instance.strategy->begin(instance.state, i++);
    assert_false(instance.strategy->end(instance.state, &nothing));
    assert_true(rv_strategy_complete(instance.strategy, instance.state));
    sim_instance_free(&instance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_depth_1),
        cmocka_unit_test(finds_depth_2),
        cmocka_unit_test(finds_depth_3),
        cmocka_unit_test(finds_deadlock),
        cmocka_unit_test(finds_full_queue),
        cmocka_unit_test(is_not_fooled_by_a_gigantic_tree),
        cmocka_unit_test(completes_small_programs),
        cmocka_unit_test(ends_at_once_when_there_is_nothing_to_choose),
        cmocka_unit_test(large_programs_use_the_whole_budget),
        cmocka_unit_test(workers_complete_together),
        cmocka_unit_test(cut_off_executions_are_not_complete),
        cmocka_unit_test(learning_elsewhere_delays_the_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
