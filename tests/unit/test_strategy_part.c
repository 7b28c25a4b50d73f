/* Searches as data: carried on they are the same search; damaged they are refused, or at least do no harm. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "part_attack.h"

enum { PROGRAMS = 300, LIMIT = 1500, ROOM = 1 << 20, DAMAGES = 400 };

static struct sim_knowledge knowledge;
static struct sim_result result;
static char buffer[ROOM];

static struct sim_program program_of(uint64_t seed) {
    return sim_rich_program(seed, 2 + (uint32_t)(seed % 2), seed % 2 ? 4 : 7);
}

/* Executions; 0: too many. Every `pause` of them (0: never) the search is carried on by another instance. */
static uint64_t search(const char *strategy, const struct sim_program *program, uint64_t pause, struct sim_set *states) {
    struct sim_instance instance = sim_instance(strategy, 1, 0, 1, UINT64_MAX);
    uint64_t executions = 0;
    do {
        sim_run(program, &knowledge, &instance, 0, &result);
        sim_set_add(states, result.final);
        if (!pause || ++executions % pause || !result.go_on) {
            executions += !pause;
            continue;
        }
        size_t size = instance.strategy->division->freeze(instance.state, buffer, sizeof buffer);
        assert_true(size <= sizeof buffer);
        sim_instance_free(&instance);
        instance = sim_instance(strategy, 1, 0, 1, UINT64_MAX);
        assert_true(instance.strategy->division->take(instance.state, 0, buffer, size));
    } while (result.go_on && executions < LIMIT);
    if (!result.go_on) assert_true(rv_strategy_complete(instance.strategy, instance.state) || instance.strategy->internal || !instance.strategy->exhaustive);
    sim_instance_free(&instance);
    return result.go_on ? 0 : executions;
}

static void carried_on_it_is_the_same_search(void **unused) {
    (void)unused;
    static const char *const strategies[] = {"dpor", "dfs", "pcb:1", "delay:2"};
    unsigned compared = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct sim_program program = program_of(seed);
        for (unsigned i = 0; i < 4; i++) {
            struct sim_set all = {0}, states = {0};
            memset(&knowledge, 0, sizeof knowledge);
            uint64_t learning = search(strategies[i], &program, 0, &all);
            uint64_t executions = learning ? search(strategies[i], &program, 0, &all) : 0;
            if (executions > 5) {
                assert_int_equal(search(strategies[i], &program, 1 + seed % 9, &states), executions);
                assert_true(sim_set_equal(&states, &all));
                compared++;
            }
            sim_set_free(&all);
            sim_set_free(&states);
        }
    }
    assert_true(compared > PROGRAMS);
}

/* In the middle of a search of a program: its part. */
static size_t some_part(const char *strategy, const struct sim_program *program, uint64_t executions) {
    struct sim_instance instance = sim_instance(strategy, 1, 0, 1, UINT64_MAX);
    memset(&knowledge, 0, sizeof knowledge);
    memset(knowledge.conflict, true, sizeof knowledge.conflict);
    bool left = true;
    for (uint64_t i = 0; i < executions && left; i++) {
        sim_run(program, &knowledge, &instance, 0, &result);
        left = result.go_on;
    }
    size_t size = left ? instance.strategy->division->freeze(instance.state, buffer, sizeof buffer) : 0;
    sim_instance_free(&instance);
    return size;
}

/* Without a new sum: refused, whatever it is. */
static void accidents_are_noticed(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    for (uint32_t body = 1; body <= 3; body++)
        for (int i = 0; i < 3; i++) sim_op(&program, body, SIM_ADD, 0, 1);
    sim_create_all(&program, 3);
    size_t size = some_part("dpor", &program, 100);
    assert_in_range(size, 1000, 10000);
    struct sim_instance instance = sim_instance("dpor", 1, 0, 1, UINT64_MAX);
    const struct rv_division *parts = instance.strategy->division;
    for (size_t cut = 0; cut < size; cut++) assert_false(parts->take(instance.state, 0, buffer, cut));
    for (size_t bit = 0; bit < size * 8; bit += 5) {
        buffer[bit / 8] = (char)(buffer[bit / 8] ^ 1 << bit % 8);
        assert_false(parts->take(instance.state, 0, buffer, size));
        buffer[bit / 8] = (char)(buffer[bit / 8] ^ 1 << bit % 8);
    }
    assert_false(rv_strategy_complete(instance.strategy, instance.state));
    sim_instance_free(&instance);
}

/* With a new sum: anything may come of it but a crash. */
static void malice_does_no_harm(void **unused) {
    (void)unused;
    static const char *const strategies[] = {"dpor", "dfs", "delay:2"};
    static char damaged[ROOM];
    struct rv_rng rng = rv_rng_stream(7, 7);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct sim_program program = program_of(seed);
        for (unsigned i = 0; i < 3; i++) {
            size_t size = some_part(strategies[i], &program, 4 + seed);
            for (unsigned k = 0; size && k < DAMAGES; k++) {
                size_t cut = rv_rng_below(&rng, 4) ? size : sizeof(struct rv_part) + rv_rng_below(&rng, size - sizeof(struct rv_part));
                memcpy(damaged, buffer, cut);
                for (uint64_t n = rv_rng_below(&rng, 4); n < 4; n++) {
                    size_t at = 24 + rv_rng_below(&rng, cut - 24);
                    damaged[at] = (char)(rv_rng_below(&rng, 2) ? damaged[at] ^ 1 << rv_rng_below(&rng, 8) : (char)rv_rng_next(&rng));
                }
                rv_part_seal(damaged, cut);
                attack(strategies[i], i == 0 && k % 2, &program, damaged, cut);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carried_on_it_is_the_same_search),
        cmocka_unit_test(accidents_are_noticed),
        cmocka_unit_test(malice_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
