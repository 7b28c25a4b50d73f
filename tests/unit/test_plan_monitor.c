/* A plan held against what happens: each operator by small histories, and the examples of the specification. Thread 0 is
 * main; who is blocked is what a test says by `blocked`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>

#include "plan/monitor.h"
#include "plan_text.h"

static struct plan_memory memory;
static const struct rv_plan *plan;
static struct rv_monitor *monitor;
static bool blocked[2000]; /* by thread */

static bool is_blocked(const void *user, uint32_t thread) { return ((const bool *)user)[thread]; }
static const struct rv_monitor_view view = {is_blocked, blocked};

static void begin(const char *text) {
    struct rv_plan_error error;
    plan = rv_plan_parse(plan_arena(&memory), text, &error);
    if (!plan) fail_msg("%s: %s", text, error.message);
    memset(blocked, 0, sizeof blocked);
    monitor = realloc(monitor, rv_monitor_size(plan));
    memset(monitor, 0xa5, rv_monitor_size(plan));
    assert_ptr_equal(rv_monitor_begin(monitor, plan), monitor);
}

/* -1: violates nothing; else the number of the ordering. */
static int number_of(const struct rv_plan_ordering *ordering) {
    return ordering ? (int)(ordering - plan->orderings) : -1;
}

/* rv_monitor_allows says it beforehand, for all that can be held back. */
static int happens(enum rv_plan_what what, const char *name, uint32_t thread) {
    const struct rv_moment moment = {what, name, thread};
    const struct rv_plan_ordering *why;
    bool allowed = rv_monitor_allows(monitor, &moment, &view, &why);
    assert_true(allowed == rv_monitor_allows(monitor, &moment, &view, NULL));
    assert_true(allowed == !why);
    const struct rv_plan_ordering *violated = rv_monitor_happen(monitor, &moment, &view);
    if (what == RV_PLAN_BLOCK || what == RV_PLAN_UNBLOCK)
        assert_null(why);
    else
        assert_ptr_equal(violated, why);
    return number_of(violated);
}

static int event(uint32_t thread, const char *name) { return happens(RV_PLAN_EVENT, name, thread); }

static bool allows(uint32_t thread, const char *name) {
    return rv_monitor_allows(monitor, &(struct rv_moment){RV_PLAN_EVENT, name, thread}, &view, NULL);
}

static bool known(enum rv_plan_what what, const char *name, uint32_t thread) {
    return rv_monitor_known(monitor, &(struct rv_moment){what, name, thread});
}

/* The names of what is missing, as in the text, with blanks between. */
static void missing(const char *expected) {
    char names[512] = "";
    uint32_t cursor = 0;
    for (const struct rv_plan_atom *atom; (atom = rv_monitor_missing(monitor, &cursor));) {
        if (names[0]) strcat(names, " ");
        strncat(names, plan->text + atom->at, atom->length);
    }
    assert_string_equal(names, expected);
    assert_null(rv_monitor_missing(monitor, &cursor));
}

/* --- the examples of the specification --- */

#define QUEUE "finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2"

static void test_bounded_queue(void **state) {
    (void)state;
    begin(QUEUE);
    assert_false(allows(0, "startingTake1"));
    assert_int_equal(event(1, "finishedAdd1"), -1);
    assert_int_equal(event(0, "startingTake1"), -1);
    assert_false(allows(1, "startingAdd2"));
    assert_int_equal(event(0, "startingTake2"), -1);
    assert_false(allows(1, "startingAdd2")); /* main has come so far, but does not wait yet */
    blocked[0] = true;
    assert_true(allows(1, "startingAdd2"));
    blocked[0] = false, blocked[1] = true; /* the other one */
    assert_false(allows(1, "startingAdd2"));
    blocked[0] = true;
    assert_int_equal(event(1, "startingAdd2"), -1);
    missing("");
}

static void test_bounded_queue_violated(void **state) {
    (void)state;
    begin(QUEUE);
    assert_int_equal(event(0, "startingTake1"), 0);
    assert_int_equal(event(1, "finishedAdd1"), -1);
    assert_int_equal(event(0, "startingTake1"), -1); /* each time that it happens */
    assert_int_equal(event(0, "startingTake2"), -1);
    assert_int_equal(event(1, "startingAdd2"), 1);
    missing("");
}

/* The formula of section 3.2 of the paper: t2 is blocked or not there yet when a1 happens; t1 is blocked or over when a2 does. */
static void test_richer_logic(void **state) {
    (void)state;
    const char *text = "blocked@t2 || !start@t2 -> a1@t1, a1@t1 && (blocked@t1 || end@t1) -> a2@t2";
    for (int late = 0; late < 2; late++) {
        begin(text);
        rv_monitor_name(monitor, 1, "t1");
        assert_true(allows(1, "a1"));
        rv_monitor_name(monitor, 2, "t2");
        assert_int_equal(happens(RV_PLAN_START, NULL, 2), -1);
        assert_false(allows(1, "a1"));
        blocked[2] = true;
        assert_int_equal(event(1, "a1"), -1);
        blocked[2] = false;
        assert_false(allows(2, "a2"));
        if (late)
            assert_int_equal(happens(RV_PLAN_END, NULL, 1), -1);
        else
            blocked[1] = true;
        assert_int_equal(event(2, "a2"), -1);
    }
}

static void test_counts(void **state) {
    (void)state;
    begin("put#2 -> take#1");
    assert_false(allows(0, "take"));
    event(1, "put");
    assert_false(allows(0, "take"));
    event(2, "put");
    assert_true(allows(0, "take"));
    assert_int_equal(event(0, "take"), -1);
    begin("put#2 -> take#2, put#3 -> take#3");
    assert_int_equal(event(0, "take"), -1); /* the first one is free */
    assert_int_equal(event(0, "take"), 0);
    assert_int_equal(event(0, "take"), 1);
    assert_int_equal(event(0, "take"), -1);
    assert_int_equal(rv_monitor_count(monitor, 1), 4);
    assert_int_equal(rv_monitor_count(monitor, 0), 0);
    missing("put#2 put#3");
    begin("!stop -> work#3");
    event(0, "stop");
    assert_true(allows(0, "work"));
    event(0, "work");
    event(0, "work");
    assert_false(allows(0, "work"));
    event(0, "work");
    assert_true(allows(0, "work"));
}

/* --- operators --- */

static void test_and_or_not(void **state) {
    (void)state;
    const char *text = "a && b -> c, a || b -> d, !a -> e, !(a && b) -> f, a && !b -> g";
    const char *rows[] = {"--ef-", "-d-fg", "-def-", "cd---"}; /* nothing, a, b, both */
    for (int row = 0; row < 4; row++) {
        begin(text);
        if (row & 1) event(1, "a");
        if (row & 2) event(2, "b");
        for (int i = 0; i < 5; i++)
            assert_int_equal(allows(3, (const char[2]){(char)('c' + i), 0}), rows[row][i] != '-');
    }
}

static void test_precedence(void **state) {
    (void)state;
    begin("a || b && c -> d");
    event(0, "a");
    assert_true(allows(0, "d"));
    begin("(a || b) && c -> d");
    event(0, "a");
    assert_false(allows(0, "d"));
    event(0, "c");
    assert_true(allows(0, "d"));
    begin("!a && b -> d");
    assert_false(allows(0, "d"));
    event(0, "b");
    assert_true(allows(0, "d"));
    event(0, "a");
    assert_false(allows(0, "d"));
}

static void test_nested(void **state) {
    (void)state;
    begin("!(a && !(b || [c]) || blocked@t) -> d");
    rv_monitor_name(monitor, 5, "t");
    assert_true(allows(0, "d"));
    event(0, "a");
    assert_false(allows(0, "d"));
    event(3, "c");
    assert_false(allows(0, "d"));
    blocked[3] = true;
    assert_true(allows(0, "d"));
    blocked[5] = true;
    assert_false(allows(0, "d"));
    blocked[5] = blocked[3] = false;
    event(0, "b");
    assert_true(allows(0, "d"));
}

static void test_deep_and_long(void **state) {
    (void)state;
    char text[4096], *at = text;
    for (int i = 0; i < 60; i++) at += sprintf(at, "!(a && ");
    at += sprintf(at, "b");
    for (int i = 0; i < 60; i++) *at++ = ')';
    strcpy(at, " -> c");
    struct rv_plan_error error;
    assert_null(rv_plan_parse(plan_arena(&memory), text, &error)); /* 120 deep */
    at = text;
    for (int i = 0; i < 31; i++) at += sprintf(at, "!(a && ");
    at += sprintf(at, "b");
    for (int i = 0; i < 31; i++) *at++ = ')';
    strcpy(at, " -> c");
    begin(text);
    assert_true(allows(0, "c"));
    event(0, "a");
    assert_true(allows(0, "c"));
    event(0, "b");
    assert_false(allows(0, "c"));
    at = text;
    for (int i = 0; i < 200; i++) at += sprintf(at, "e%d&&", i);
    strcpy(at, "last->c");
    begin(text);
    char name[16];
    for (int i = 0; i < 200; i++) {
        sprintf(name, "e%d", i);
        assert_false(allows(0, "c"));
        event(0, name);
    }
    assert_false(allows(0, "c"));
    event(0, "last");
    assert_true(allows(0, "c"));
}

static void test_an_event_is_not_its_own_condition(void **state) {
    (void)state;
    begin("e#1 -> e#2, !e -> e#1, e@t -> e#3");
    rv_monitor_name(monitor, 4, "t");
    assert_int_equal(event(1, "e"), -1);
    assert_int_equal(event(1, "e"), -1);
    assert_int_equal(event(4, "e"), 2); /* the third one, and the first in t: that does not help itself */
    begin("!e -> e");
    assert_int_equal(event(1, "e"), -1);
    assert_int_equal(event(1, "e"), 0);
}

static void test_the_first_ordering_is_named(void **state) {
    (void)state;
    begin("x -> e@t, y -> e, z -> e@t, w -> f");
    rv_monitor_name(monitor, 4, "t");
    assert_int_equal(event(4, "e"), 0);
    event(0, "x");
    assert_int_equal(event(4, "e"), 1);
    assert_int_equal(event(3, "e"), 1);
    event(0, "y");
    assert_int_equal(event(4, "e"), 2);
    assert_int_equal(event(3, "e"), -1);
    event(0, "z");
    assert_int_equal(event(4, "e"), -1);
}

/* --- who is blocked --- */

static void test_held_by_the_thread_of_the_last_time(void **state) {
    (void)state;
    begin("[e] -> a, [e#1] -> b, [e#2] -> c, [e@t] -> d");
    rv_monitor_name(monitor, 3, "t");
    blocked[0] = blocked[1] = blocked[2] = blocked[3] = true;
    for (const char *name = "abcd"; *name; name++) assert_false(allows(0, (const char[2]){*name, 0}));
    event(1, "e");
    assert_true(allows(0, "a") && allows(0, "b") && !allows(0, "c") && !allows(0, "d"));
    event(2, "e");
    assert_true(allows(0, "a") && allows(0, "b") && allows(0, "c") && !allows(0, "d"));
    event(3, "e");
    assert_true(allows(0, "a") && allows(0, "b") && allows(0, "c") && allows(0, "d"));
    blocked[1] = false;
    assert_true(allows(0, "a") && !allows(0, "b") && allows(0, "c") && allows(0, "d"));
    blocked[1] = true, blocked[2] = false;
    assert_true(allows(0, "a") && allows(0, "b") && !allows(0, "c") && allows(0, "d"));
    blocked[2] = true, blocked[3] = false;
    assert_true(!allows(0, "a") && allows(0, "b") && allows(0, "c") && !allows(0, "d"));
    event(4, "e"); /* the last time in t is still t's */
    blocked[3] = true;
    assert_true(!allows(0, "a") && allows(0, "d"));
    blocked[4] = true;
    assert_true(allows(0, "a"));
}

static void test_blocked_threads(void **state) {
    (void)state;
    begin("blocked@t -> a, !blocked@t -> b, [start@t] -> c");
    blocked[1] = true;
    assert_true(!allows(0, "a") && allows(0, "b")); /* nobody is named so */
    rv_monitor_name(monitor, 1, "t");
    assert_true(allows(0, "a") && !allows(0, "b") && !allows(0, "c"));
    happens(RV_PLAN_START, NULL, 1);
    assert_true(allows(0, "c"));
    blocked[1] = false;
    assert_true(!allows(0, "a") && allows(0, "b") && !allows(0, "c"));
    assert_false(rv_monitor_allows(monitor, &(struct rv_moment){RV_PLAN_EVENT, "a", 0}, NULL, NULL));
}

static void test_several_threads_of_a_name(void **state) {
    (void)state;
    begin("blocked@worker -> put, take#3@worker -> x, start#2@worker -> y");
    rv_monitor_name(monitor, 1, "worker");
    assert_int_equal(happens(RV_PLAN_START, NULL, 1), -1);
    assert_false(allows(0, "y"));
    rv_monitor_name(monitor, 2, "worker");
    assert_int_equal(happens(RV_PLAN_START, NULL, 2), -1);
    assert_true(allows(0, "y"));
    blocked[1] = true;
    assert_false(allows(0, "put"));
    blocked[2] = true;
    assert_true(allows(0, "put"));
    event(1, "take");
    event(2, "take");
    event(3, "take"); /* not one of them */
    assert_false(allows(0, "x"));
    event(1, "take");
    assert_true(allows(0, "x"));
    blocked[2] = false;
    assert_false(allows(0, "put"));
    happens(RV_PLAN_END, NULL, 2); /* only those that are alive count */
    assert_true(allows(0, "put"));
    happens(RV_PLAN_END, NULL, 1); /* and one must be */
    assert_false(allows(0, "put"));
}

static void test_block_and_unblock_as_events(void **state) {
    (void)state;
    begin("block#2@t -> a, unblock@t -> b, ready -> block@t, ready -> unblock@t");
    rv_monitor_name(monitor, 1, "t");
    assert_int_equal(happens(RV_PLAN_BLOCK, NULL, 1), 2); /* found, not held back: see happens() */
    assert_int_equal(happens(RV_PLAN_UNBLOCK, NULL, 1), 3);
    assert_true(!allows(0, "a") && allows(0, "b"));
    event(0, "ready");
    assert_int_equal(happens(RV_PLAN_BLOCK, NULL, 2), -1); /* another thread */
    assert_false(allows(0, "a"));
    assert_int_equal(happens(RV_PLAN_BLOCK, NULL, 1), -1);
    assert_true(allows(0, "a"));
}

/* --- threads and their names --- */

static void test_names_given_late(void **state) {
    (void)state;
    begin("e@t -> a, e -> b, e#2@t -> c, x -> f@t");
    event(1, "e"); /* nobody yet */
    assert_true(!allows(0, "a") && allows(0, "b"));
    assert_true(allows(1, "f"));
    rv_monitor_name(monitor, 1, "t");
    assert_false(allows(0, "a"));
    assert_false(allows(1, "f"));
    event(1, "e");
    assert_true(allows(0, "a"));
    rv_monitor_name(monitor, 1, "u"); /* another name: what it did as t stays */
    event(1, "e");
    assert_true(allows(0, "a") && !allows(0, "c"));
    assert_true(allows(1, "f"));
    rv_monitor_name(monitor, 1, "t");
    event(1, "e");
    assert_true(allows(0, "c"));
    assert_false(allows(1, "f"));
}

static void test_main_has_its_name(void **state) {
    (void)state;
    begin("e@main -> a, [start@main] -> b, end@main -> c");
    event(1, "e");
    assert_false(allows(1, "a"));
    event(0, "e");
    assert_true(allows(1, "a"));
    happens(RV_PLAN_START, NULL, 0);
    blocked[0] = true;
    assert_true(allows(1, "b") && !allows(1, "c"));
    happens(RV_PLAN_END, NULL, 0);
    assert_true(allows(1, "c"));
}

static void test_a_target_of_one_thread(void **state) {
    (void)state;
    begin("x -> e@t, y -> start@u, z -> end@u");
    rv_monitor_name(monitor, 1, "t");
    rv_monitor_name(monitor, 2, "u");
    assert_true(!allows(1, "e") && allows(2, "e") && allows(3, "e"));
    const struct rv_moment start = {RV_PLAN_START, NULL, 2}, end = {RV_PLAN_END, NULL, 2},
                           other = {RV_PLAN_END, NULL, 1};
    assert_false(rv_monitor_allows(monitor, &start, &view, NULL));
    event(1, "y");
    assert_true(rv_monitor_allows(monitor, &start, &view, NULL));
    assert_false(rv_monitor_allows(monitor, &end, &view, NULL));
    assert_true(rv_monitor_allows(monitor, &other, &view, NULL));
    event(1, "z");
    assert_true(rv_monitor_allows(monitor, &end, &view, NULL));
}

static void test_many_threads(void **state) {
    (void)state;
    begin("blocked@t -> a, e#1500@t -> b");
    for (uint32_t thread = 0; thread < 2000; thread++)
        assert_true(rv_monitor_name(monitor, thread, "elsewhere"));
    for (uint32_t thread = 1700; thread < 1700 + RV_MONITOR_THREADS; thread++)
        assert_true(rv_monitor_name(monitor, thread, "t"));
    assert_true(rv_monitor_name(monitor, 1700, "t"));
    assert_false(rv_monitor_name(monitor, 3, "t")); /* it has none then, and another one's end makes room */
    event(3, "e");
    assert_int_equal(rv_monitor_count(monitor, plan->nodes[1].atom), 0);
    for (uint32_t thread = 1700; thread < 1999; thread++) blocked[thread] = true;
    assert_true(allows(0, "a"));
    blocked[1750] = false;
    assert_false(allows(0, "a"));
    happens(RV_PLAN_END, NULL, 1750);
    assert_true(allows(0, "a"));
    assert_true(rv_monitor_name(monitor, 3, "t"));
    assert_false(allows(0, "a"));
    event(3, "e");
    event(1955, "e");
    assert_int_equal(rv_monitor_count(monitor, plan->nodes[1].atom), 2);
}

static void test_known(void **state) {
    (void)state;
    begin("e@t && blocked@u && start@v -> f");
    rv_monitor_name(monitor, 1, "t");
    rv_monitor_name(monitor, 2, "u");
    rv_monitor_name(monitor, 3, "v");
    assert_true(known(RV_PLAN_EVENT, "e", 9) && known(RV_PLAN_EVENT, "f", 1));
    assert_false(known(RV_PLAN_EVENT, "start", 3));
    assert_false(known(RV_PLAN_EVENT, "g", 1));
    assert_false(known(RV_PLAN_EVENT, "ef", 1));
    assert_false(known(RV_PLAN_EVENT, "", 1));
    assert_true(known(RV_PLAN_START, NULL, 3));
    assert_false(known(RV_PLAN_START, NULL, 1));
    assert_false(known(RV_PLAN_BLOCK, NULL, 3));
    assert_true(known(RV_PLAN_END, NULL, 2)); /* for blocked@u */
    assert_false(known(RV_PLAN_END, NULL, 4));
    assert_false(known(RV_PLAN_END, NULL, 0));
}

/* --- the end --- */

static void test_missing(void **state) {
    (void)state;
    begin("a && b#2 -> c, !x -> d, [e] -> f#2");
    missing("a b#2 c d e f#2");
    event(0, "b");
    event(0, "c");
    event(0, "f");
    missing("a b#2 d e f#2");
    event(0, "b");
    event(0, "e");
    event(0, "f");
    missing("a d");
    event(0, "x");
    event(0, "a");
    event(0, "d");
    missing("");
}

static void test_missing_where_another_stands_in(void **state) {
    (void)state;
    begin("a || b -> c");
    event(0, "c");
    missing("a b");
    event(0, "b");
    missing("");
    begin("a || blocked@t -> c, !(!d && e) -> f, g || !h -> i, !(!j || !k) -> l");
    event(0, "c"), event(0, "f"), event(0, "i"), event(0, "l");
    missing("j k");
    event(0, "j");
    missing("k");
    begin("(a || b) && c -> d, a -> e");
    event(0, "b"), event(0, "c"), event(0, "d");
    missing("a e"); /* a has an ordering of its own */
    begin("(a && b) || c -> d");
    event(0, "a"), event(0, "d");
    missing("b c");
    event(0, "c");
    missing("");
}

static void test_conditions_can_be_asked(void **state) {
    (void)state;
    begin("a && !b -> c");
    const struct rv_plan_node *and = &plan->nodes[plan->orderings[0].condition];
    uint32_t root = plan->orderings[0].condition;
    assert_true(!rv_monitor_holds(monitor, root, &view) && !rv_monitor_holds(monitor, and->left, &view) &&
                rv_monitor_holds(monitor, and->right, &view));
    event(0, "a");
    assert_true(rv_monitor_holds(monitor, root, &view) && rv_monitor_holds(monitor, and->left, &view));
    event(0, "b");
    assert_true(!rv_monitor_holds(monitor, root, &view) && !rv_monitor_holds(monitor, and->right, &view));
}

static void test_copy_and_restore(void **state) {
    (void)state;
    begin("[e#2] && f@t -> a, !g -> b");
    size_t size = rv_monitor_size(plan);
    rv_monitor_name(monitor, 1, "t");
    event(1, "f");
    event(2, "e");
    event(3, "e");
    void *saved = malloc(size), *elsewhere = malloc(size);
    memcpy(saved, monitor, size);
    blocked[3] = true;
    assert_true(allows(0, "a") && allows(0, "b"));
    event(2, "e");
    event(1, "g");
    rv_monitor_name(monitor, 1, "u");
    happens(RV_PLAN_END, NULL, 1);
    assert_false(allows(0, "b"));
    memcpy(monitor, saved, size);
    assert_true(allows(0, "a") && allows(0, "b"));
    struct rv_monitor *kept = monitor;
    monitor = memcpy(elsewhere, saved, size); /* it holds no pointers into itself */
    memset(kept, 0xa5, size);
    assert_true(allows(0, "a") && allows(0, "b"));
    event(1, "f");
    assert_int_equal(rv_monitor_count(monitor, plan->nodes[1].atom), 2);
    blocked[3] = false;
    assert_false(allows(0, "a"));
    monitor = kept;
    free(elsewhere);
    free(saved);
}

static int release(void **state) {
    (void)state;
    free(monitor);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounded_queue),
        cmocka_unit_test(test_bounded_queue_violated),
        cmocka_unit_test(test_richer_logic),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_and_or_not),
        cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_deep_and_long),
        cmocka_unit_test(test_an_event_is_not_its_own_condition),
        cmocka_unit_test(test_the_first_ordering_is_named),
        cmocka_unit_test(test_held_by_the_thread_of_the_last_time),
        cmocka_unit_test(test_blocked_threads),
        cmocka_unit_test(test_several_threads_of_a_name),
        cmocka_unit_test(test_block_and_unblock_as_events),
        cmocka_unit_test(test_names_given_late),
        cmocka_unit_test(test_main_has_its_name),
        cmocka_unit_test(test_a_target_of_one_thread),
        cmocka_unit_test(test_many_threads),
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_missing_where_another_stands_in),
        cmocka_unit_test(test_conditions_can_be_asked),
        cmocka_unit_test(test_copy_and_restore),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
