/* What pos and surw promise about chances. Seeds are fixed: these tests always give the same answer. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simulator.h"

static struct sim_knowledge knowledge;
static struct sim_result result;

/* How often each order of the marks on variable 0 comes up, against the same chance for all: chi square. */
struct tally {
    int32_t order[512];
    uint64_t count[512];
    size_t orders;
};

static void tally_add(struct tally *tally, int32_t order) {
    size_t i = 0;
    while (i < tally->orders && tally->order[i] != order) i++;
    if (i == tally->orders) tally->order[tally->orders++] = order;
    tally->count[i]++;
}

static double chi_square(const char *spec, const struct sim_program *program, uint64_t executions,
                         size_t orders) {
    struct tally tally = {0};
    struct sim_instance instance = sim_instance(spec, 5, 0, 1, executions);
    memset(&knowledge, 0, sizeof knowledge);
    uint64_t warm_up = 100;
    for (uint64_t i = 0; i < executions + warm_up; i++) {
        sim_run(program, &knowledge, &instance, i, &result);
        if (i >= warm_up) tally_add(&tally, result.variables[0]);
    }
    sim_instance_free(&instance);
    double expected = (double)executions / (double)orders;
    double sum = (double)(orders - tally.orders) * expected; /* those never seen */
    for (size_t i = 0; i < tally.orders; i++) {
        double apart = (double)tally.count[i] - expected;
        sum += apart * apart / expected;
    }
    return sum;
}

static void marks(struct sim_program *program, uint32_t body, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) sim_op(program, body, SIM_MARK, 0, (int32_t)body);
}

/* Four marks beside two: 15 orders, 14 degrees of freedom. 36.1 is exceeded by chance once in a thousand; the
 * random walk is far from it. */
static void surw_is_uniform(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    marks(&program, 1, 4);
    marks(&program, 2, 2);
    sim_create_all(&program, 2);
    assert_true(chi_square("surw", &program, 15000, 15) < 36.1);
    assert_true(chi_square("random", &program, 15000, 15) > 1000);
}

/* The same with much else going on between, on another variable: it is uniform over the marks whenever
 * they are what is chosen, and still near it over all. Here only that no order starves: the random walk never shows
 * the short thread's marks after all of the long one's. */
static void surw_is_not_diluted(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    for (int i = 0; i < 30; i++) sim_op(&program, 1, SIM_ADD, 1, 1);
    sim_op(&program, 1, SIM_MARK, 0, 1);
    sim_op(&program, 2, SIM_MARK, 0, 2);
    for (int i = 0; i < 30; i++) sim_op(&program, 2, SIM_ADD, 1, 1);
    sim_create_all(&program, 2);
    uint64_t first[2] = {0};
    static const char *const specs[] = {"surw", "random"};
    for (int s = 0; s < 2; s++) {
        struct sim_instance instance = sim_instance(specs[s], 5, 0, 1, 4000);
        memset(&knowledge, 0, sizeof knowledge);
        for (uint64_t i = 0; i < 4000; i++) {
            sim_run(&program, &knowledge, &instance, i, &result);
            first[s] += result.variables[0] == 4 * 1 + 2;
        }
        sim_instance_free(&instance);
    }
    assert_true(first[0] > 500); /* half of the executions that chose the marks, three of eight */
    assert_true(first[1] < 10);
}

/* A thread that creates another half-way: one mark, then a child with two more; two marks beside them. The child's
 * come after its creator's, so there is a chain of three and one of two: 5! / (3! 2!) = 10 orders. */
static void surw_knows_the_spawn_tree(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    marks(&program, 1, 1);
    sim_op(&program, 1, SIM_CREATE, 3, 0);
    marks(&program, 3, 2);
    marks(&program, 2, 2);
    sim_create_all(&program, 2);
    assert_true(chi_square("surw", &program, 10000, 10) < 27.9); /* 9 degrees of freedom, one in a thousand */
    assert_true(chi_square("random", &program, 10000, 10) > 500);
}

/* Yuan, Yang and Gu's point: events of no consequence use up no chance. A short thread's write against a
 * read behind n independent steps: the write comes last with chance 2^-n in a random walk, and with 1/(n+2)
 * and more in pos (its priority is the lowest of n+2). */
static void pos_is_not_diluted(void **unused) {
    (void)unused;
    enum { STEPS = 12, EXECUTIONS = 20000 };
    struct sim_program program = {0};
    for (int i = 0; i < STEPS; i++) sim_op(&program, 1, SIM_ADD, 1, 1);
    sim_op(&program, 1, SIM_ADD, 0, 0);
    sim_op(&program, 1, SIM_FAIL_IF, 0, 0);
    sim_op(&program, 2, SIM_ADD, 0, 1);
    /* Both are there before either begins. */
    sim_op(&program, 0, SIM_CREATE, 1, 0);
    sim_op(&program, 0, SIM_CREATE, 2, 0);
    uint64_t failures[2] = {0};
    static const char *const specs[] = {"pos", "random"};
    for (int s = 0; s < 2; s++) {
        struct sim_instance instance = sim_instance(specs[s], 3, 0, 1, EXECUTIONS);
        memset(&knowledge, 0, sizeof knowledge);
        for (uint64_t i = 0; i < EXECUTIONS; i++) {
            sim_run(&program, &knowledge, &instance, i, &result);
            failures[s] += result.kind != RV_KIND_NONE;
        }
        sim_instance_free(&instance);
    }
    assert_true(failures[0] >= EXECUTIONS / (STEPS + 2));
    assert_true(failures[1] < EXECUTIONS / 100);
}

/* Racing events draw again: a read beside five writes of the same variable has an even chance against each of
 * them, so it comes after all with about 2^-5. A priority drawn once would be the lowest of six with a chance
 * of 1/6. */
static void pos_draws_again_for_racing_events(void **unused) {
    (void)unused;
    enum { EXECUTIONS = 20000 };
    struct sim_program program = {0};
    for (int i = 0; i < 5; i++) sim_op(&program, 1, SIM_ADD, 0, 1);
    sim_op(&program, 2, SIM_POST, 0, 0);
    sim_op(&program, 2, SIM_ADD, 0, 0);
    sim_op(&program, 2, SIM_FAIL_IF, 0, 5);
    sim_op(&program, 0, SIM_CREATE, 2, 0);
    sim_op(&program, 0, SIM_WAIT, 0, 0); /* the reader stands before its read when the writer begins */
    sim_op(&program, 0, SIM_CREATE, 1, 0);
    struct sim_instance pos = sim_instance("pos", 3, 0, 1, EXECUTIONS);
    uint64_t last = 0;
    memset(&knowledge, 0, sizeof knowledge);
    for (uint64_t i = 0; i < EXECUTIONS; i++) {
        sim_run(&program, &knowledge, &pos, i, &result);
        last += result.kind != RV_KIND_NONE;
    }
    sim_instance_free(&pos);
    assert_true(last > EXECUTIONS / 160);
    assert_true(last < EXECUTIONS / 12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surw_is_uniform),
        cmocka_unit_test(surw_is_not_diluted),
        cmocka_unit_test(surw_knows_the_spawn_tree),
        cmocka_unit_test(pos_is_not_diluted),
        cmocka_unit_test(pos_draws_again_for_racing_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
