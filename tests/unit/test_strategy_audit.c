/* The audit of searches up to equivalence: silent on random programs, which hide nothing in the simulator. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "simulator.h"

enum { PROGRAMS = 1500, EXECUTIONS = 60 };

static struct sim_knowledge knowledge;
static struct sim_result result;

static void finds_nothing_where_nothing_is_hidden(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct sim_program program =
            seed % 2 ? sim_rich_program(seed, 3, 4) : sim_random_program(seed, 2 + (uint32_t)(seed % 3), 5);
        struct sim_instance audit = sim_instance("audit", seed, 0, 1, EXECUTIONS);
        memset(&knowledge, 0, sizeof knowledge);
        for (uint64_t i = 0; i < EXECUTIONS; i++) {
            sim_run(&program, &knowledge, &audit, i, &result);
            if (!result.go_on) fail_msg("program %lu: a difference in execution %lu", seed, i);
        }
        assert_true(rv_strategy_complete(audit.strategy, audit.state));
        sim_instance_free(&audit);
    }
}

/* What the simulator cannot hide is told wrong: every second execution is of another program. */
static void sees_another_way_of_going_on(void **unused) {
    (void)unused;
    struct sim_program programs[2] = {0};
    for (int i = 0; i < 2; i++) {
        sim_op(&programs[i], 1, SIM_ADD, 0, 1);
        sim_op(&programs[i], 2, SIM_ADD, 1, 1);
        sim_op(&programs[i], 2, SIM_ADD, i == 0 ? 1 : 2, 1); /* the same operation on something else */
        sim_create_all(&programs[i], 2);
    }
    struct sim_instance audit = sim_instance("audit", 1, 0, 1, EXECUTIONS);
    memset(&knowledge, 0, sizeof knowledge);
    uint64_t i = 0;
    do {
        sim_run(&programs[i % 2], &knowledge, &audit, i, &result);
    } while (result.go_on && ++i < EXECUTIONS);
    assert_false(result.go_on);
    assert_false(rv_strategy_complete(audit.strategy, audit.state));
    sim_instance_free(&audit);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_nothing_where_nothing_is_hidden),
                                       cmocka_unit_test(sees_another_way_of_going_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
