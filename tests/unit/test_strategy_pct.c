/* The published bound of pct, by statistics.
 *
 * Each case has a bug of depth d in a program of n threads; k is the largest number of points seen. The bound
 * says that an execution hits it with probability at least p = 1 / (n k^(d-1)). We run N = 100 / p executions
 * and require 45 hits. If the chance is p or more, fewer hits have a probability below exp(-100 * 0.55^2 / 2)
 * < 3e-7 (Chernoff). The seeds are fixed, so what holds once holds always; the figure says how surprising a
 * failure after a change of the generator would be.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simulator.h"

static struct sim_knowledge knowledge;
static struct sim_result result;

static void chatter(struct sim_program *program, uint32_t body, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) sim_op(program, body, SIM_ADD, 7, 1);
}

static uint64_t hits(const struct sim_program *program, const char *spec, uint64_t executions,
                     uint64_t *points) {
    struct sim_instance pct = sim_instance(spec, 1, 0, 1, executions);
    uint64_t count = 0;
    for (uint64_t i = 0; i < executions; i++) {
        sim_run(program, &knowledge, &pct, i, &result);
        count += result.kind != RV_KIND_NONE;
        if (result.points > *points) *points = result.points;
    }
    sim_instance_free(&pct);
    return count;
}

static void check_bound(const struct sim_program *program, uint32_t depth, uint32_t threads, double factor) {
    char spec[16];
    snprintf(spec, sizeof spec, "pct:%u", depth);
    memset(&knowledge, 0, sizeof knowledge);
    uint64_t points = 0;
    hits(program, spec, 1000, &points);
    double p = factor / threads;
    for (uint32_t i = 1; i < depth; i++) p /= (double)points;
    uint64_t executions = (uint64_t)(100 / p) + 1;
    uint64_t found = hits(program, spec, executions, &points);
    if (found < 45)
        print_error("depth %u: %u hits in %u executions\n", depth, (unsigned)found, (unsigned)executions);
    assert_true(found >= 45);
}

/* The reader comes before all else that the writer does, although it has much to do before. */
static struct sim_program depth_1(void) {
    struct sim_program program = {0};
    sim_op(&program, 1, SIM_WRITE, 0, 1);
    chatter(&program, 1, 6);
    chatter(&program, 2, 6);
    sim_op(&program, 2, SIM_READ, 0, 0);
    sim_op(&program, 2, SIM_FAIL_IF, 0, 0);
    sim_create_all(&program, 2);
    return program;
}

/* The reader comes between two writes. */
static struct sim_program depth_2(void) {
    struct sim_program program = {0};
    chatter(&program, 1, 3);
    sim_op(&program, 1, SIM_WRITE, 0, 1);
    sim_op(&program, 1, SIM_WRITE, 0, 0);
    chatter(&program, 1, 3);
    chatter(&program, 2, 3);
    sim_op(&program, 2, SIM_READ, 0, 0);
    sim_op(&program, 2, SIM_FAIL_IF, 0, 1);
    chatter(&program, 2, 3);
    sim_create_all(&program, 2);
    return program;
}

/* The second thread reads and stores between two writes of the first, and the first reads that before it is
 * undone. */
static struct sim_program depth_3(uint32_t first, uint32_t second) {
    struct sim_program program = {0};
    sim_op(&program, first, SIM_WRITE, 0, 1);
    sim_op(&program, first, SIM_WRITE, 0, 0);
    sim_op(&program, first, SIM_READ, 1, 0);
    sim_op(&program, first, SIM_FAIL_IF, 0, 1);
    sim_op(&program, second, SIM_READ, 0, 0);
    sim_op(&program, second, SIM_STORE, 1, 0);
    sim_op(&program, second, SIM_WRITE, 1, 0);
    sim_create_all(&program, 2);
    return program;
}

static void bound_holds_for_depth_1(void **unused) {
    (void)unused;
    struct sim_program program = depth_1();
    check_bound(&program, 1, 3, 1);
}

static void bound_holds_for_depth_2(void **unused) {
    (void)unused;
    struct sim_program program = depth_2();
    check_bound(&program, 2, 3, 1);
}

static void bound_holds_for_depth_3(void **unused) {
    (void)unused;
    struct sim_program program = depth_3(1, 2);
    check_bound(&program, 3, 3, 1);
    program = depth_3(2, 1); /* of two that fell, either must be able to go first, whatever its number */
    check_bound(&program, 3, 3, 1);
}

/* Yields that must have no effect cost a factor of two each, and not the bound altogether. */
static void bound_survives_yields(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    sim_op(&program, 1, SIM_WRITE, 0, 1);
    chatter(&program, 1, 4);
    chatter(&program, 2, 2);
    sim_op(&program, 2, SIM_YIELD, 0, 0);
    chatter(&program, 2, 2);
    sim_op(&program, 2, SIM_YIELD, 0, 0);
    sim_op(&program, 2, SIM_READ, 0, 0);
    sim_op(&program, 2, SIM_FAIL_IF, 0, 0);
    sim_create_all(&program, 2);
    check_bound(&program, 1, 3, 0.25);
}

/* The same with a time-out that must expire while the other thread, which has fallen, holds the mutex: 1/16. */
static void bound_survives_timeouts(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    sim_op(&program, 1, SIM_LOCK, 0, 0);
    chatter(&program, 1, 3);
    sim_op(&program, 1, SIM_UNLOCK, 0, 0);
    sim_op(&program, 2, SIM_TIMEDLOCK, 0, 0);
    sim_op(&program, 2, SIM_FAIL_IF, 0, 77);
    sim_op(&program, 2, SIM_UNLOCK, 0, 0);
    sim_create_all(&program, 2);
    check_bound(&program, 2, 3, 1.0 / 16);
}

/* Loops that wait for a lower thread end, with and without sched_yield. */
static void waiting_loops_end(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    for (int i = 0; i < 20; i++) sim_op(&program, 1, SIM_YIELD, 0, 0);
    sim_op(&program, 1, SIM_SPIN, 0, 0);
    chatter(&program, 2, 5);
    sim_op(&program, 2, SIM_WRITE, 0, 1);
    sim_create_all(&program, 2);
    memset(&knowledge, 0, sizeof knowledge);
    uint64_t points = 0;
    assert_int_equal(hits(&program, "pct:3", 2000, &points), 0);
    assert_true(points < 100);
}

/* A deeper setting finds what a shallower one can not: depth is what it says. */
static void too_shallow_finds_nothing(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    sim_op(&program, 1, SIM_ADD, 0, 1); /* atomics: points from the first execution on */
    sim_op(&program, 1, SIM_ADD, 0, -1);
    sim_op(&program, 2, SIM_ADD, 0, 0);
    sim_op(&program, 2, SIM_FAIL_IF, 0, 1);
    sim_create_all(&program, 2);
    memset(&knowledge, 0, sizeof knowledge);
    uint64_t points = 0;
    assert_int_equal(hits(&program, "pct:1", 5000, &points), 0);
    assert_true(hits(&program, "pct:2", 5000, &points) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bound_holds_for_depth_1),   cmocka_unit_test(bound_holds_for_depth_2),
        cmocka_unit_test(bound_holds_for_depth_3),   cmocka_unit_test(bound_survives_yields),
        cmocka_unit_test(bound_survives_timeouts),   cmocka_unit_test(waiting_loops_end),
        cmocka_unit_test(too_shallow_finds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
