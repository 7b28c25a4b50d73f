/* HaPSets as the paper defines them, on its example, and the search guided by them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simulator.h"
#include "strategy/guide.h"
#include "strategy/search_stack.h"

/* One thread allocates p (e1) and frees it (e4), another checks p (e2) and uses it (e3). Site = number. */
enum { E1 = 1, E2, E3, E4, EVENTS };
static const struct {
    uint32_t thread;
    bool write;
} events[EVENTS] = {[E1] = {1, true}, [E2] = {2, false}, [E3] = {2, false}, [E4] = {1, true}};

struct learner {
    void *memory;
    struct rv_arena arena;
    struct rv_order order;
    struct rv_guide guide;
};

static void open_learner(struct learner *learner) {
    const size_t size = 16u << 20;
    struct rv_guide_settings settings;
    assert_true(rv_guide_parse("5,rounds=1", &settings));
    learner->memory = calloc(1, size);
    rv_arena_init(&learner->arena, learner->memory, size);
    rv_order_init(&learner->order, &learner->arena);
    rv_guide_init(&learner->guide, &learner->arena, &settings);
}

/* A run, as a list of events that ends with 0. */
static void run(struct learner *learner, const int *sequence) {
    uint64_t steps[3] = {0};
    rv_order_truncate(&learner->order, 0);
    for (; *sequence; sequence++) {
        uint32_t thread = events[*sequence].thread, at = learner->order.count;
        enum rv_op op = events[*sequence].write ? RV_OP_WRITE : RV_OP_READ;
        struct rv_candidate candidate = {
            .thread = thread,
            .lineage = thread + 100,
            .step = steps[thread]++,
            .next = {.op = op, .flags = rv_op_flags[op], .size = 8, .object = 0x1000, .site = *sequence}};
        struct rv_point point = {.candidates = &candidate, .count = 1};
        rv_order_threads(&learner->order, &point);
        struct rv_guide_mark mark = rv_guide_mark(&learner->guide, &learner->order, &candidate);
        assert_true(rv_order_open(&learner->order, &candidate));
        rv_guide_begin(&learner->guide, at, &mark);
        rv_order_observe(&learner->order, &candidate.next);
        rv_order_close(&learner->order, NULL);
        rv_guide_learn(&learner->guide, &learner->order, at, 0);
    }
}

/* HaPSet[event] as a set of bits. */
static unsigned set_of(const struct learner *learner, int event) {
    const struct rv_hapsets *sets = &learner->guide.sets;
    unsigned found = 0;
    for (uint32_t i = 0; i < sets->members.count; i++) {
        const struct rv_hapset_member *member = rv_hapset_member_at(sets, i);
        if (rv_hapset_statement_at(sets, member->statement)->site == (uint64_t)event)
            found |= 1u << rv_hapset_statement_at(sets, member->predecessor)->site;
    }
    return found;
}

static void sets_of_one_good_run(void **unused) {
    (void)unused;
    struct learner learner;
    open_learner(&learner);
    run(&learner, (const int[]){E1, E2, E3, E4, 0});
    assert_int_equal(set_of(&learner, E1), 0);
    assert_int_equal(set_of(&learner, E2), 1 << E1);
    assert_int_equal(set_of(&learner, E3), 0);
    assert_int_equal(set_of(&learner, E4), 1 << E3);
    free(learner.memory);
}

static void sets_of_all_good_runs_and_the_bad_one(void **unused) {
    (void)unused;
    struct learner learner;
    open_learner(&learner);
    run(&learner, (const int[]){E1, E2, E3, E4, 0});
    run(&learner, (const int[]){E2, E1, E4, 0}); /* p is not there yet: no use */
    run(&learner, (const int[]){E1, E4, E2, 0});
    assert_int_equal(set_of(&learner, E1), 1 << E2);
    assert_int_equal(set_of(&learner, E2), 1 << E1 | 1 << E4);
    assert_int_equal(set_of(&learner, E3), 0);
    assert_int_equal(set_of(&learner, E4), 1 << E3);
    run(&learner, (const int[]){E1, E2, E4, E3, 0});
    assert_int_equal(set_of(&learner, E3), 1 << E4);
    assert_int_equal(set_of(&learner, E4), 1 << E2 | 1 << E3);
    free(learner.memory);
}

static struct sim_knowledge knowledge;
static struct sim_result result;

/* Executions up to the first failure (0: none), or, with `all`, until the search ends (0: more than 5,000). */
static uint64_t search(const struct sim_program *program, const char *spec, bool all) {
    struct sim_instance instance = sim_instance(spec, 1, 0, 1, UINT64_MAX);
    uint64_t executions = 0;
    bool failed = false;
    do {
        sim_run(program, &knowledge, &instance, executions++, &result);
        failed = result.kind != RV_KIND_NONE;
    } while (result.go_on && (all || !failed) && executions < 5000);
    bool ended = all ? !result.go_on : failed;
    assert_false(rv_strategy_complete(instance.strategy, instance.state) && strncmp(spec, "hapset", 6) == 0);
    sim_instance_free(&instance);
    return ended ? executions : 0;
}

/* The example with much else around it. */
static struct sim_program use_after_free(void) {
    struct sim_program program = {0};
    for (int i = 0; i < 4; i++) sim_op(&program, 1, SIM_ADD, 1, 1);
    sim_op(&program, 1, SIM_ADD, 0, 1);
    sim_op(&program, 1, SIM_ADD, 0, -1);
    for (int i = 0; i < 4; i++) sim_op(&program, 1, SIM_ADD, 1, 1);
    for (int i = 0; i < 4; i++) sim_op(&program, 2, SIM_ADD, 1, 1);
    sim_op(&program, 2, SIM_READ, 0, 0);
    sim_op(&program, 2, SIM_SKIP_IF, 0, 0); /* e2: not there */
    sim_op(&program, 2, SIM_READ, 0, 0);
    sim_op(&program, 2, SIM_ADD, 2, 0);
    sim_create_all(&program, 2);
    return program;
}

static void guided_search_is_short(void **unused) {
    (void)unused;
    struct sim_program program = use_after_free();
    memset(&knowledge, 0, sizeof knowledge);
    (void)search(&program, "dpor", true); /* learns the conflicts */
    uint64_t guided = search(&program, "hapset:0,rounds=1", true),
             all = search(&program, "dpor-classic", true);
    assert_true(guided > 0);
    assert_true(all == 0 || guided * 10 < all);
}

/* Six variables, each marked by two threads: the orders of each are seen alone in few executions, together in many. */
static void ends_long_before_all_orders_are_seen(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    for (uint32_t variable = 0; variable < 6; variable++) {
        sim_op(&program, 1, SIM_MARK, variable, 1);
        sim_op(&program, 2, SIM_MARK, variable, 2);
    }
    sim_create_all(&program, 2);
    memset(&knowledge, 0, sizeof knowledge);
    uint64_t guided = search(&program, "hapset:5,rounds=1", true);
    assert_in_range(guided, 2, 13); /* not more than two for each variable, and the first */
    uint64_t finer = search(&program, "hapset", true);
    assert_true(finer > guided);
}

static void parameters(void **unused) {
    (void)unused;
    struct rv_guide_settings settings;
    assert_true(rv_guide_parse(NULL, &settings));
    assert_int_equal(settings.stack_depth, 5);
    assert_int_equal(settings.bound, RV_NO_BOUND);
    assert_true(rv_guide_parse("3,learn=20,guide=pcb:2,rounds=1", &settings));
    assert_int_equal(settings.stack_depth, 3);
    assert_int_equal(settings.learn, 20);
    assert_int_equal(settings.bound, 2);
    assert_int_equal(settings.rounds, 1);
    static const char *const wrong[] = {"",         "9",           "x",
                                        "5,",       "5,learn=",    "5,learn=-1",
                                        "guide=2",  "guide=pcb:x", "rounds=0",
                                        "rounds=6", "5 ",          "learn=99999999999999999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (rv_guide_parse(wrong[i], &settings)) fail_msg("'%s' is taken for a parameter", wrong[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_of_one_good_run),
        cmocka_unit_test(sets_of_all_good_runs_and_the_bad_one),
        cmocka_unit_test(guided_search_is_short),
        cmocka_unit_test(ends_long_before_all_orders_are_seen),
        cmocka_unit_test(parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
