/* The searches up to equivalence against brute force, on random programs. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simulator.h"

/* Of MANY programs ENOUGH must be small enough for brute force. RAVEL_PROGRAMS asks for more, RAVEL_FIRST_PROGRAM for
 * others. */
enum { MANY = 7000, ENOUGH = 5000, LIMIT = 5000, SCHEDULES = 8000 };

static struct sim_knowledge knowledge;
static struct sim_result result;

static uint64_t number_from(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static struct sim_program program_of(uint64_t seed) {
    uint32_t threads = 2 + (uint32_t)(seed % 2), length = seed % 2 ? 2 : 3;
    return seed % 3 ? sim_rich_program(seed, threads, length) : sim_random_program(seed, threads, length);
}

static bool has(const struct sim_program *program, enum sim_op a, enum sim_op b) {
    for (uint32_t i = 0; i < SIM_BODIES; i++)
        for (uint32_t k = 0; k < program->bodies[i].count; k++)
            if (program->bodies[i].ops[k].op == a || program->bodies[i].ops[k].op == b) return true;
    return false;
}

/* Executions until the search ends. 0: too many. */
static uint64_t search(const struct sim_program *program, const char *name, struct sim_set *states) {
    struct sim_instance instance = sim_instance(name, 1, 0, 1, UINT64_MAX);
    uint64_t executions = 0;
    do {
        sim_run(program, &knowledge, &instance, executions++, &result);
        sim_set_add(states, result.final);
    } while (result.go_on && executions < LIMIT);
    if (!result.go_on && !rv_strategy_complete(instance.strategy, instance.state))
        fail_msg("%s is not complete", name);
    sim_instance_free(&instance);
    return result.go_on ? 0 : executions;
}

/* What it reaches from no knowledge; then, with all knowledge, how many executions that takes. */
static uint64_t check_states(const struct sim_program *program, uint64_t seed, const char *name,
                             const struct sim_set *all) {
    struct sim_set states = {0}, again = {0};
    memset(&knowledge, 0, sizeof knowledge);
    uint64_t executions = search(program, name, &states);
    if (executions && !sim_set_equal(&states, all))
        fail_msg("program %lu: %s reaches %zu of %zu states", seed, name, states.count, all->count);
    if (executions) executions = search(program, name, &again);
    if (executions && !sim_set_equal(&again, all))
        fail_msg("program %lu: %s with knowledge reaches %zu of %zu states", seed, name, again.count,
                 all->count);
    sim_set_free(&states);
    sim_set_free(&again);
    return executions;
}

static void same_states_and_one_execution_each(void **unused) {
    (void)unused;
    uint64_t checked = 0, compared = 0, counted = 0, first = number_from("RAVEL_FIRST_PROGRAM", 1);
    uint64_t many = number_from("RAVEL_PROGRAMS", MANY);
    for (uint64_t seed = first; seed < first + many; seed++) {
        struct sim_program program = program_of(seed);
        struct sim_set all = {0}, traces = {0};
        sim_final_states(&program, &all);
        uint64_t executions = check_states(&program, seed, "dpor", &all);
        uint64_t classic = executions ? check_states(&program, seed, "dpor-classic", &all) : 0;
        compared += classic != 0;
        if (!executions) continue;
        checked++;
        bool countable = !has(&program, SIM_SPIN, SIM_SPIN) && !has(&program, SIM_FAIL_IF, SIM_FAIL_NOT);
        if (countable && sim_traces(&program, SCHEDULES, &traces)) {
            counted++;
            if (executions != traces.count)
                fail_msg("program %lu: %lu executions for %zu traces", seed, executions, traces.count);
        }
        sim_set_free(&all);
        sim_set_free(&traces);
    }
    print_message("%lu programs, %lu also by dpor-classic, the traces counted in %lu\n", checked, compared,
                  counted);
    assert_true(compared >= (many < MANY ? many / 2 : ENOUGH));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_states_and_one_execution_each)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
