/* What all sampling strategies promise: only real executions, all of them in the end, the same again for the
 * same seed, no state outside their arena, and parameters that are checked. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "simulator.h"

static const char *const samplers[] = {"random", "random:0.2", "pct:6", "pos", "surw", "rf", "auto"};
enum { SAMPLERS = sizeof samplers / sizeof *samplers, PROGRAMS = 300, EXECUTIONS = 300000 };

static struct sim_knowledge knowledge;
static struct sim_result result;

static void only_and_all_final_states(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct sim_program program = sim_random_program(seed, 2 + (uint32_t)(seed % 2), 3);
        struct sim_set all = {0};
        sim_final_states(&program, &all);
        for (size_t s = 0; s < SAMPLERS; s++) {
            struct sim_instance sampler = sim_instance(samplers[s], seed, 0, 1, EXECUTIONS);
            struct sim_set seen = {0};
            memset(&knowledge, 0, sizeof knowledge);
            for (uint64_t i = 0; i < EXECUTIONS && seen.count < all.count; i++) {
                sim_run(&program, &knowledge, &sampler, i, &result);
                assert_true(sim_set_has(&all, result.final));
                sim_set_add(&seen, result.final);
            }
            if (seen.count != all.count)
                print_error("%s reaches %zu of %zu states, program %u\n", samplers[s], seen.count, all.count,
                            (unsigned)seed);
            assert_int_equal(seen.count, all.count);
            sim_set_free(&seen);
            sim_instance_free(&sampler);
        }
        sim_set_free(&all);
    }
}

/* Two instances of one strategy and seed, taking turns, each with its own knowledge, do the same; with another
 * seed something else. An instance with state outside its arena would be disturbed by the other one. */
static void same_seed_same_schedules(void **unused) {
    (void)unused;
    static struct sim_knowledge own[3];
    struct sim_program program = sim_random_program(7, 4, 8);
    static const char *const all[] = {"random", "random:0.2", "pct:3", "pos", "surw", "rf", "dfs", "auto"};
    for (size_t s = 0; s < sizeof all / sizeof *all; s++) {
        struct sim_instance instances[3];
        uint64_t differences = 0;
        memset(own, 0, sizeof own);
        for (uint32_t k = 0; k < 3; k++) instances[k] = sim_instance(all[s], k < 2 ? 11 : 12, 0, 1, 1000);
        for (uint64_t i = 0; i < 300; i++) {
            uint64_t schedules[3];
            for (uint32_t k = 0; k < 3; k++) {
                sim_run(&program, &own[k], &instances[k], i, &result);
                schedules[k] = result.schedule;
            }
            assert_true(schedules[0] == schedules[1]);
            differences += schedules[0] != schedules[2];
        }
        if (strcmp(all[s], "dfs") != 0) assert_true(differences > 100);
        for (uint32_t k = 0; k < 3; k++) sim_instance_free(&instances[k]);
    }
}

/* An arena that cannot grow: worse samples at most, never a wrong one. */
static void full_arena_is_survived(void **unused) {
    (void)unused;
    struct sim_program program = sim_random_program(3, 5, 8);
    for (size_t s = 0; s < SAMPLERS; s++) {
        for (size_t room = 0; room < 4000; room += 400) {
            struct sim_instance sampler = sim_instance(samplers[s], 1, 0, 1, 1000);
            rv_arena_alloc(sampler.arena, sampler.arena->size - sampler.arena->used - room);
            memset(&knowledge, 0, sizeof knowledge);
            for (uint64_t i = 0; i < 200; i++) {
                sim_run(&program, &knowledge, &sampler, i, &result);
                assert_false(result.not_terminating);
            }
            sim_instance_free(&sampler);
        }
    }
}

static void create_fails_cleanly_without_memory(void **unused) {
    (void)unused;
    _Alignas(16) static char memory[64];
    for (const struct rv_strategy *const *strategy = rv_strategies; *strategy; strategy++) {
        struct rv_arena arena;
        struct rv_strategy_config config = {.seed = 1, .workers = 1, .budget = 1};
        rv_arena_init(&arena, memory, 16);
        assert_null((*strategy)->create(&arena, &config));
    }
}

static void parameters_are_checked(void **unused) {
    (void)unused;
    static const char *const good[] = {"random", "random:1", "random:0.5", "random:.25", "random:1.0",
                                       "pct",    "pct:1",    "pct:64",     "pos",        "surw",
                                       "rf",     "dfs",      "auto"};
    static const char *const bad[] = {
        "random:",   "random:0",     "random:1.1", "random:x", "random:0.5x",
        "random:-1", "random:0.0.1", "random:.",   "pct:",     "pct:0",
        "pct:65",    "pct:-1",       "pct:3 ",     "pct:0x3",  "pct:18446744073709551617",
        "pos:1",     "rf:1",         "surw:1",     "dfs:2",    "auto:pct",
        "auto:"};
    const char *params;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_null(rv_strategy_find(good[i], &params)->check(params));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct rv_strategy *strategy = rv_strategy_find(bad[i], &params);
        assert_non_null(strategy);
        assert_non_null(strategy->check(params));
    }
    assert_null(rv_strategy_find("", &params));
    assert_null(rv_strategy_find("rand", &params));
    assert_null(rv_strategy_find("randomly:1", &params));
    assert_string_equal(rv_strategies[0]->name, "auto");
}

/* Points that are passed without asking, as patience() allows, are those at which the strategy would have stayed: `asked` is
 * asked at all of them and does the same. */
static void patience_changes_nothing(void **unused) {
    (void)unused;
    const struct rv_candidate candidates[3] = {{.thread = 0}, {.thread = 1}, {.thread = 2}};
    const char *params;
    const struct rv_strategy *walk = rv_strategy_find("random", &params);
    const char *const odds[] = {"0.5", "0.1", "0.001", "1"};
    for (size_t o = 0; o < 4; o++) {
        static char memory[2][4096];
        void *states[2];
        struct rv_arena arenas[2];
        struct rv_strategy_config config = {.seed = 5 + o, .params = odds[o]};
        for (int k = 0; k < 2; k++) {
            rv_arena_init(&arenas[k], memory[k], sizeof memory[k]);
            states[k] = walk->create(&arenas[k], &config);
            walk->begin(states[k], 1);
        }
        struct rv_rng kinds = rv_rng_stream(9, o);
        uint32_t current = 0, patience = 0, passed = 0;
        for (uint64_t number = 0; number < 20000; number++) {
            bool plain = rv_rng_below(&kinds, 8) != 0, blocked = !plain && rv_rng_below(&kinds, 4) == 0;
            struct rv_point point = {.candidates = candidates,
                                     .count = 3,
                                     .current = current,
                                     .current_index = blocked ? -1 : (int32_t)current,
                                     .yielded = !plain && !blocked && rv_rng_below(&kinds, 4) == 0,
                                     .number = number};
            uint32_t asked = walk->pick(states[0], &point), picked = current;
            if (plain && patience) {
                patience--;
                passed++;
            } else {
                point.unused = patience;
                picked = walk->pick(states[1], &point);
                patience = (int32_t)picked == point.current_index ? walk->patience(states[1]) : 0;
            }
            assert_int_equal(asked, picked);
            current = picked;
        }
        assert_true(o < 3 ? passed > 100 : passed == 0);
    }
}

/* Every strategy can be listed: name, one-line guarantee, and the functions that are not optional. */
static void table_is_whole(void **unused) {
    (void)unused;
    for (const struct rv_strategy *const *strategy = rv_strategies; *strategy; strategy++) {
        assert_true(strlen((*strategy)->name) && strlen((*strategy)->guarantee) && (*strategy)->parameter);
        assert_null(strchr((*strategy)->guarantee, '\n'));
        assert_true((*strategy)->check && (*strategy)->create && (*strategy)->begin && (*strategy)->pick &&
                    (*strategy)->choose && (*strategy)->end);
        const char *params;
        assert_ptr_equal(rv_strategy_find((*strategy)->name, &params), *strategy);
        assert_null(params);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_and_all_final_states), cmocka_unit_test(same_seed_same_schedules),
        cmocka_unit_test(full_arena_is_survived),    cmocka_unit_test(create_fails_cleanly_without_memory),
        cmocka_unit_test(parameters_are_checked),    cmocka_unit_test(table_is_whole),
        cmocka_unit_test(patience_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
