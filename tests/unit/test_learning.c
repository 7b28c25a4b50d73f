/* What campaigns leave behind for each other: in one store, at the same time, by strategy and program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "supervisor/learning.h"

static char directory[] = "/tmp/ravel-learning-XXXXXX";
static char *store;
static struct rv_program program;

static int make_directory(void **state) {
    (void)state;
    program.path = realpath("/proc/self/exe", NULL);
    return mkdtemp(directory) && asprintf(&store, "%s/store.db", directory) > 0 && program.path ? 0 : -1;
}

static int remove_directory(void **state) {
    (void)state;
    free(store);
    free(program.path);
    return rmdir(directory);
}

static int remove_store(void **state) {
    (void)state;
    (void)unlink(store);
    return 0;
}

static struct rv_learning *begin(const char *strategy, bool fresh) {
    struct rv_learning *learning;
    char *error = NULL;
    if (!rv_learning_open(&learning, &program, strategy, store, fresh, &error)) fail_msg("%s", error);
    return learning;
}

/* As a campaign that has seen a statement at this offset of the program. */
static void learn(struct rv_learning *learning, uint64_t offset) {
    struct rv_lessons *lessons = learning->lessons;
    if (lessons->module_count == 0) {
        lessons->module_count = 1;
        snprintf(lessons->modules[0].path, RV_LESSON_PATH, "%s", program.path);
        memcpy(lessons->modules[0].key, learning->key, RV_KEY_SIZE);
    }
    (void)rv_hapset_statement(&lessons->sets, offset, 0, NULL, 0);
}

static void end(struct rv_learning *learning) {
    char *error = NULL;
    if (!rv_learning_save(learning, &error)) fail_msg("%s", error);
    rv_learning_close(learning);
}

/* How many statements a campaign would begin with. */
static unsigned known(const char *strategy) {
    struct rv_learning *learning = begin(strategy, false);
    unsigned count = learning->lessons->sets.statements.count;
    rv_learning_close(learning);
    return count;
}

static void campaigns_at_the_same_time_lose_nothing(void **state) {
    (void)state;
    struct rv_learning *one = begin("hapset", false), *other = begin("hapset", false);
    learn(one, 16);
    learn(one, 32);
    learn(other, 32);
    learn(other, 48);
    end(one);
    assert_int_equal(known("hapset"), 2);
    end(other);
    assert_int_equal(known("hapset"), 3);
    one = begin("hapset", true);
    learn(one, 64);
    end(one);
    assert_int_equal(known("hapset"), 1);
}

static void nothing_learned_makes_no_store(void **state) {
    (void)state;
    end(begin("hapset", false));
    assert_int_equal(access(store, F_OK), -1);
}

static void strategies_that_keep_nothing_have_no_part_in_it(void **state) {
    (void)state;
    static const char *const others[] = {"auto", "dpor", "dfs", "pcb:2", "nonsense"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) assert_null(begin(others[i], false));
    assert_int_equal(access(store, F_OK), -1);
}

static void other_numbers_of_calls_lie_side_by_side(void **state) {
    (void)state;
    struct rv_learning *three = begin("hapset:3,learn=7", false);
    assert_string_equal(three->name, "calls=3");
    learn(three, 16);
    end(three);
    assert_int_equal(known("hapset:3"), 1);
    assert_int_equal(known("hapset"), 0);
    assert_int_equal(known("hapset:guide=pcb:2,3"), 1);
}

static void names_and_their_numbers(void **state) {
    (void)state;
    char name[RV_LEARNING_NAME];
    uint32_t calls = 0;
    rv_learning_name(8, name);
    assert_true(rv_learning_calls(name, &calls));
    assert_int_equal(calls, 8);
    static const char *const wrong[] = {
        "", "calls=", "calls=x", "calls=8x", "calls=08", "calls=99999999999", "call"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(rv_learning_calls(wrong[i], &calls));
}

#define TEST(name) cmocka_unit_test_teardown(name, remove_store)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(campaigns_at_the_same_time_lose_nothing),
        TEST(nothing_learned_makes_no_store),
        TEST(strategies_that_keep_nothing_have_no_part_in_it),
        TEST(other_numbers_of_calls_lie_side_by_side),
        TEST(names_and_their_numbers),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
