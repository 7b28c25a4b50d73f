/* What rf promises: it asks for orders that have not been seen, the same for the same seed, and never blocks. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simulator.h"

enum { SEEDS = 20, LIMIT = 2000, WORKERS = 4 };

static struct sim_knowledge knowledge;
static struct sim_result result;

/* Workers set variable 0, then variable 1; the checker, which is created last and has much else to do before, fails if
 * it sees the second not set yet: all workers must wait for it. */
static struct sim_program half_done(void) {
    struct sim_program program = {0};
    for (uint32_t body = 1; body <= WORKERS; body++) {
        sim_op(&program, body, SIM_WRITE, 0, 1);
        sim_op(&program, body, SIM_WRITE, 1, 1);
    }
    for (int i = 0; i < 30; i++) sim_op(&program, WORKERS + 1, SIM_ADD, 2, 1);
    sim_op(&program, WORKERS + 1, SIM_READ, 1, 0);
    sim_op(&program, WORKERS + 1, SIM_FAIL_IF, 0, 0);
    sim_create_all(&program, WORKERS + 1);
    return program;
}

/* Executions until the first failure, or LIMIT. */
static uint64_t first_failure(const char *spec, const struct sim_program *program, uint64_t seed) {
    struct sim_instance instance = sim_instance(spec, seed, 0, 1, LIMIT);
    memset(&knowledge, 0, sizeof knowledge);
    uint64_t i = 0;
    for (; i < LIMIT; i++) {
        sim_run(program, &knowledge, &instance, i, &result);
        assert_false(result.not_terminating);
        if (result.kind != RV_KIND_NONE) break;
    }
    sim_instance_free(&instance);
    return i;
}

/* How many of the seeds find it within `limit` executions. */
static uint32_t finders(const char *spec, const struct sim_program *program, uint64_t limit) {
    uint32_t found = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) found += first_failure(spec, program, seed) < limit;
    return found;
}

/* Seeds are fixed, the answer is always the same. */
static void finds_what_random_does_not(void **unused) {
    (void)unused;
    struct sim_program program = half_done();
    uint32_t rf = finders("rf", &program, 100);
    uint32_t random = finders("random", &program, 100);
    print_message("within 100 executions: rf %u, random %u of %u\n", rf, random, SEEDS);
    assert_true(rf >= 18);
    assert_true(random <= 4);
}

static void same_seed_same_campaign(void **unused) {
    (void)unused;
    static struct sim_knowledge own[2];
    struct sim_program program = half_done();
    struct sim_instance instances[2];
    memset(own, 0, sizeof own);
    for (uint32_t k = 0; k < 2; k++) instances[k] = sim_instance("rf", 9, 0, 1, LIMIT);
    for (uint64_t i = 0; i < 500; i++) {
        uint64_t schedules[2];
        for (uint32_t k = 0; k < 2; k++) {
            sim_run(&program, &own[k], &instances[k], i, &result);
            schedules[k] = result.schedule;
        }
        assert_true(schedules[0] == schedules[1]);
    }
    for (uint32_t k = 0; k < 2; k++) sim_instance_free(&instances[k]);
}

/* The whole memory of a long campaign. */
static void memory_is_bounded(void **unused) {
    (void)unused;
    struct sim_instance instance = sim_instance("rf", 3, 0, 1, LIMIT);
    memset(&knowledge, 0, sizeof knowledge);
    for (uint64_t i = 0; i < LIMIT; i++) {
        struct sim_program program = sim_random_program(i, 5, 20);
        sim_run(&program, &knowledge, &instance, i, &result);
    }
    assert_true(instance.arena->used < 2u << 20);
    sim_instance_free(&instance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_random_does_not),
        cmocka_unit_test(same_seed_same_campaign),
        cmocka_unit_test(memory_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
