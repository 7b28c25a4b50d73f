/* HaPSets: members, limits, the saved form and its damaged relatives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "strategy/hapset.h"

enum { ARENA = 32 << 20, ROOM = 4096 };
static void *memory;
static struct rv_arena arena;

static int setup(void **state) {
    struct rv_hapsets *sets = calloc(1, sizeof *sets);
    memory = calloc(1, ARENA);
    rv_arena_init(&arena, memory, ARENA);
    rv_hapsets_init(sets, &arena);
    *state = sets;
    return 0;
}

static int teardown(void **state) {
    free(*state);
    free(memory);
    return 0;
}

/* alloc (e1) and free (e4) in one thread, check (e2) and use (e3) in another: the good run of the paper. */
static void good_run(struct rv_hapsets *sets) {
    uint32_t e[5];
    for (uint32_t i = 1; i <= 4; i++) e[i] = rv_hapset_statement(sets, i * 16, 7, (uint64_t[]){i, i + 1}, 2);
    assert_true(rv_hapset_add(sets, e[2], e[1], 0));
    assert_true(rv_hapset_add(sets, e[4], e[3], 3));
}

static void members_are_new_once(void **state) {
    struct rv_hapsets *sets = *state;
    good_run(sets);
    assert_false(rv_hapset_add(sets, 1, 0, 9));
    assert_true(rv_hapset_has(sets, 1, 0));
    assert_false(rv_hapset_has(sets, 0, 1));
    assert_int_equal(rv_hapset_member_at(sets, 1)->execution, 3);
    assert_false(rv_hapset_add(sets, 4, 0, 0)); /* there is no statement 4 */
    assert_false(rv_hapset_add(sets, 0, RV_NO_NUMBER, 0));
}

static void contexts_are_told_apart(void **state) {
    struct rv_hapsets *sets = *state;
    uint64_t frames[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    uint32_t first = rv_hapset_statement(sets, 5, 1, frames, 9);
    assert_int_not_equal(first, rv_hapset_statement(sets, 5, 2, NULL, 0));
    assert_int_equal(first, rv_hapset_statement(sets, 5, 1, NULL, 0));
    assert_int_equal(rv_hapset_statement_at(sets, first)->frame_count, RV_HAPSET_FRAMES);
    assert_int_equal(rv_hapset_statement_at(sets, first)->frames[7], 8);
}

static void limits_hold(void **state) {
    struct rv_hapsets *sets = *state;
    for (uint32_t i = 0; i < RV_HAPSET_STATEMENTS; i++)
        assert_int_equal(rv_hapset_statement(sets, i, 0, NULL, 0), i);
    assert_int_equal(rv_hapset_statement(sets, RV_HAPSET_STATEMENTS, 0, NULL, 0), RV_NO_NUMBER);
    for (uint32_t i = 0; i < RV_HAPSET_MEMBERS; i++)
        assert_true(rv_hapset_add(sets, i % RV_HAPSET_STATEMENTS, i / RV_HAPSET_STATEMENTS, i));
    assert_false(rv_hapset_add(sets, 0, RV_HAPSET_STATEMENTS - 1, 0));
    assert_int_equal(rv_hapset_save(sets, NULL, 0), RV_HAPSET_SAVED_MAX);
}

static void saved_and_loaded_is_the_same(void **state) {
    struct rv_hapsets *sets = *state, other;
    char first[ROOM], second[ROOM];
    good_run(sets);
    size_t size = rv_hapset_save(sets, first, ROOM);
    assert_int_equal(size, rv_hapset_save(sets, NULL, 0));
    rv_hapsets_init(&other, &arena);
    assert_true(rv_hapset_load(&other, first, size));
    assert_int_equal(rv_hapset_save(&other, second, ROOM), size);
    assert_memory_equal(first, second, size);
}

static void loading_is_a_union(void **state) {
    struct rv_hapsets *sets = *state, other;
    char saved[ROOM];
    good_run(sets);
    rv_hapsets_init(&other, &arena);
    uint32_t e3 = rv_hapset_statement(&other, 48, 7, NULL, 0),
             e4 = rv_hapset_statement(&other, 64, 7, NULL, 0);
    rv_hapset_add(&other, e3, e4, 5);
    rv_hapset_add(&other, e4, e3, 6);
    assert_true(rv_hapset_load(sets, saved, rv_hapset_save(&other, saved, ROOM)));
    assert_int_equal(sets->statements.count, 4);
    assert_int_equal(sets->members.count, 3);
    assert_true(rv_hapset_has(sets, 2, 3));
    assert_int_equal(rv_hapset_member_at(sets, 1)->execution, 3); /* who was there first */
}

static void damaged_is_refused(void **state) {
    struct rv_hapsets *sets = *state, other;
    char saved[ROOM];
    good_run(sets);
    size_t size = rv_hapset_save(sets, saved, ROOM);
    rv_hapsets_init(&other, &arena);
    for (size_t cut = 0; cut < size; cut++) assert_false(rv_hapset_load(&other, saved, cut));
    assert_false(rv_hapset_load(&other, saved, size + 8));
    for (size_t bit = 0; bit < size * 8; bit++) {
        saved[bit / 8] = (char)(saved[bit / 8] ^ 1 << bit % 8);
        assert_false(rv_hapset_load(&other, saved, size));
        saved[bit / 8] = (char)(saved[bit / 8] ^ 1 << bit % 8);
    }
    assert_int_equal(other.statements.count, 0);
    assert_true(rv_hapset_load(&other, saved, size));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(members_are_new_once, setup, teardown),
        cmocka_unit_test_setup_teardown(contexts_are_told_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(limits_hold, setup, teardown),
        cmocka_unit_test_setup_teardown(saved_and_loaded_is_the_same, setup, teardown),
        cmocka_unit_test_setup_teardown(loading_is_a_union, setup, teardown),
        cmocka_unit_test_setup_teardown(damaged_is_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
