/* Strategy map: how many executions it takes to cover an instance that a random walk seldom shows, and that it ends then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simulator.h"
#include "strategy/map.h"

enum { SEEDS = 31, TRIES_MAX = 200, NOISE = 12 };

extern const struct rv_strategy rv_strategy_map;

static struct sim_program program;
static struct sim_result result;

static uint64_t add(uint32_t body, enum sim_op op, uint32_t a, int32_t value) {
    struct sim_body *to = &program.bodies[body];
    to->ops[to->count++] = (struct sim_operation){op, a, value};
    return (uint64_t)body * SIM_OPS + to->count; /* what the strategy is told of it */
}

/* Two threads with much to do; in one a read and a write of variable 0, in the other a write far behind its beginning. */
static void split_update(uint64_t sites[3]) {
    memset(&program, 0, sizeof program);
    (void)add(0, SIM_CREATE, 1, 0);
    (void)add(0, SIM_CREATE, 2, 0);
    for (uint32_t i = 0; i < NOISE; i++) (void)add(2, SIM_ADD, 1, 1);
    sites[0] = add(1, SIM_READ, 0, 0);
    sites[2] = add(1, SIM_WRITE, 0, 1);
    sites[1] = add(2, SIM_WRITE, 0, 2);
    for (uint32_t i = 0; i < NOISE; i++) (void)add(1, SIM_ADD, 1, 1);
}

/* Executions until the strategy has no more to try or variable 0 ends as wanted, or TRIES_MAX. */
static unsigned tries(const char *spec, uint64_t seed, int32_t wanted) {
    static struct sim_knowledge knowledge;
    unsigned count = 0;
    memset(&knowledge, 0, sizeof knowledge);
    struct sim_instance instance = sim_instance(spec, seed, 0, 1, UINT64_MAX);
    do sim_run(&program, &knowledge, &instance, count, &result);
    while (++count < TRIES_MAX && result.go_on && !(wanted && result.variables[0] == wanted));
    sim_instance_free(&instance);
    return count;
}

static void ends_when_covered(void **unused) {
    (void)unused;
    uint64_t sites[3];
    char params[128];
    unsigned sum = 0;
    split_update(sites);
    snprintf(params, sizeof params, "map:7,%lx,%lx,%lx", (unsigned long)sites[0], (unsigned long)sites[1],
             (unsigned long)sites[2]);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        unsigned took = tries(params, seed, 0);
        assert_true(took < TRIES_MAX);
        assert_int_equal(result.variables[0], 1); /* the write between was lost */
        sum += took;
    }
    assert_true(sum <= 3 * SEEDS);
}

/* Told nothing, it finds the split by itself, in fewer executions than the walk; of these the walk needs many. */
static void finds_by_itself(void **unused) {
    (void)unused;
    uint64_t sites[3];
    split_update(sites);
    program.bodies[1].ops[1] = (struct sim_operation){SIM_STORE, 0, 10}; /* what was read, and 10 */
    unsigned steered = 0, walked = 0;
    /* 10 at the end: the other's 2 was written between the read of 0 and the write. */
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        steered += tries("map", seed, 10);
        walked += tries("random", seed, 10);
    }
    if (steered * 2 > walked) print_message("steered %u walked %u\n", steered, walked);
    assert_true(steered * 2 <= walked);
}

static void parameters(void **unused) {
    (void)unused;
    static const char *const good[] = {"1,1,2", "17,1,2,3,ffffffffffffffff", "9,a,B,c,0"};
    static const char *const bad[] = {"",        "0,1,2",   "18,1,2", "1",    "1,1",
                                      "1,1,2,3", "9,1,2,3", "1,1,2x", "1,,2", "1,11111111111111111,2"};
    struct rv_map_target target;
    assert_null(rv_strategy_map.check(NULL));
    for (unsigned i = 0; i < sizeof good / sizeof good[0]; i++) assert_true(rv_map_parse(good[i], &target));
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_false(rv_map_parse(bad[i], &target));
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_non_null(rv_strategy_map.check(bad[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters),
        cmocka_unit_test(ends_when_covered),
        cmocka_unit_test(finds_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
