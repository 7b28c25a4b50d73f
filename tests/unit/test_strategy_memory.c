/* The memory of dpor: what the stack and its trees need, however many executions there are. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simulator.h"
#include "strategy/dpor.h"

enum { PROGRAMS = 400, LIMIT = 300, WARM = 100000, LONG = 300000 };

static struct sim_knowledge knowledge;
static struct sim_result result;

/* Nodes in trees and asleep, each once. */
static uint32_t nodes_in_use(const struct rv_dpor *state) {
    uint8_t *seen = calloc(state->node_count + 1u, 1);
    uint32_t *path = calloc(state->node_count + 1u, sizeof *path), count = 0;
    for (uint32_t i = 0; i < state->asleep_count; i++) {
        count += !seen[state->asleep[i]];
        seen[state->asleep[i]] = 1;
    }
    for (uint32_t level = 0; level <= state->recorded && level < state->level_capacity; level++) {
        uint32_t depth = 0, node = state->levels[level].wakeup;
        while (node || depth) {
            if (!node) {
                node = state->nodes[path[--depth]].sibling;
                continue;
            }
            if (seen[node]) fail_msg("node %u is in two places", node);
            seen[node] = 1;
            count++;
            path[depth++] = node;
            node = state->nodes[node].child;
        }
    }
    free(path);
    free(seen);
    return count;
}

static uint32_t free_nodes(const struct rv_dpor *state) {
    uint32_t count = 0;
    for (uint32_t node = state->free_node; node; node = state->nodes[node].sibling) {
        count++;
        assert_true(count < state->node_count);
    }
    return count;
}

/* Between any two executions each node is in use or free: of programs that learn, fail, wait, and spin, and of some that
 * change under the search. */
static void no_node_is_lost(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct sim_program program = seed % 2 ? sim_rich_program(seed, 3, 5) : sim_random_program(seed, 3, 4);
        struct sim_program other = sim_rich_program(seed, 3, 4);
        struct sim_instance dpor = sim_instance("dpor", 1, 0, 1, UINT64_MAX);
        const struct rv_dpor *state = dpor.state;
        memset(&knowledge, 0, sizeof knowledge);
        bool changes = seed % 5 == 0;
        uint64_t i = 0;
        do {
            sim_run(changes && i % 7 == 3 ? &other : &program, &knowledge, &dpor, i, &result);
            uint32_t used = nodes_in_use(state), unused_now = free_nodes(state);
            if (used + unused_now + 1 != state->node_count)
                fail_msg("program %lu, execution %lu: %u nodes, %u in use, %u free", seed, i, state->node_count - 1, used,
                         unused_now);
        } while (result.go_on && ++i < LIMIT);
        sim_instance_free(&dpor);
    }
}

/* Three threads that count: a tree of millions. */
static void memory_does_not_grow(void **unused) {
    (void)unused;
    struct sim_program program = {0};
    for (uint32_t body = 1; body <= 3; body++)
        for (int i = 0; i < 6; i++) sim_op(&program, body, SIM_MARK, 0, (int32_t)body);
    sim_create_all(&program, 3);
    memset(&knowledge, 0, sizeof knowledge);
    struct sim_instance dpor = sim_instance("dpor", 1, 0, 1, UINT64_MAX);
    size_t warm = 0;
    for (uint64_t i = 0; i < LONG; i++) {
        sim_run(&program, &knowledge, &dpor, i, &result);
        assert_true(result.go_on);
        if (i == WARM) warm = dpor.arena->used;
    }
    assert_true(dpor.arena->used <= 2 * warm); /* an array that had to double */
    assert_true(dpor.arena->used < 128 << 10);
    sim_instance_free(&dpor);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_node_is_lost), cmocka_unit_test(memory_does_not_grow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
