/* What people see: expected texts, whole; and no text, however hostile, that leaves its lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>

#include "report_fixture.h"

static char *printed(const struct rv_failure *failure, bool colour, unsigned width) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    rv_failure_print(failure, out, &(struct rv_print_options){colour, width});
    fclose(out);
    return text;
}

static void assert_printed(struct rv_failure *failure, unsigned width, const char *expected) {
    char *text = printed(failure, false, width);
    assert_string_equal(text, expected);
    free(text);
    rv_failure_free(failure);
}

static struct rv_failure deadlock(void) {
    struct rv_failure failure = {
        .kind = RV_KIND_DEADLOCK, .thread = RV_NO_THREAD, .preemptions = 1, .switches = 3};
    rv_failure_complete(&failure);
    rv_text_set(&failure.message, rv_text_copy("2 threads wait for each other"));
    fixture_event(&failure, 1, RV_OP_LOCK, "a.lock", 0, RV_EVENT_SWITCH,
                  "takes what another thread will wait for", 41, "lock(&a.lock);");
    fixture_event(&failure, 2, RV_OP_LOCK, "b.lock", 0, RV_EVENT_SWITCH | RV_EVENT_PREEMPT,
                  "takes what another thread will wait for", 42, "lock(&b.lock);");
    fixture_thread(&failure, 0, "main", "blocked in join of thread 1", RV_OP_JOIN, "thread 1", RV_NO_THREAD,
                   NULL);
    fixture_thread(&failure, 1, "left", "blocked in lock of b.lock held by thread 2", RV_OP_LOCK, "b.lock", 2,
                   "a.lock");
    fixture_thread(&failure, 2, "right", "blocked in lock of a.lock held by thread 1", RV_OP_LOCK, "a.lock",
                   1, "b.lock");
    return failure;
}

static void test_lost_update(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure();
    rv_text_set(&failure.file, rv_text_copy(".ravel/failures/a.ravel"));
    assert_printed(
        &failure, 100,
        "assert: Assertion `balance == 2' failed\n"
        "  in thread 0 (main), deposit() at src/bank.c:20\n"
        "  1 preemption, 4 switches; schedule 17, seen 3 times\n"
        "\n"
        "    thread 0 (main)              |    thread 1 (deposit)           |    thread 2 (deposit)\n"
        " --------------------------------+---------------------------------+--------------------------------\n"
        "                                 | => read balance = 0             |\n"
        "                                 |       (reads it, then is        |\n"
        "                                 |       preempted)                |\n"
        "                                 |    bank.c:12  int b = balance;  |\n"
        "                                 |    -- preempted --              |\n"
        "                                 |                                 |    read balance = 0\n"
        "                                 |                                 |    bank.c:12  int b = balance;\n"
        "                                 |                                 | => write balance\n"
        "                                 |                                 |       (changes it in between)\n"
        "                                 |                                 |    bank.c:13  balance = b + 1;\n"
        "                                 | => write balance                |\n"
        "                                 |       (overwrites that change)  |\n"
        "                                 |    bank.c:13  balance = b + 1;  |\n"
        " => FAILS: assert                |                                 |\n"
        "    bank.c:20  in deposit()      |                                 |\n"
        "\n"
        "the memory: struct account.next (heap block from open() bank.c:8), byte 8 of 24\n"
        "  allocated by thread 0 (main):\n"
        "    #0 open() at src/bank.c:8\n"
        "    #1 worker() at src/bank.c:90\n"
        "\n"
        "stack of thread 0 (main):\n"
        "  #0 deposit() at src/bank.c:20\n"
        "  #1 worker() at src/bank.c:90\n"
        "other threads:\n"
        "  thread 1 (deposit): exited, in deposit() at src/bank.c:21\n"
        "  thread 2 (deposit): exited, in deposit() at src/bank.c:22\n"
        "\n"
        "the program printed:\n"
        "  one\n"
        "  two\n"
        "\n"
        "  last without newline\n"
        "\n"
        "to see it again: ravel replay .ravel/failures/a.ravel\n");
}

static void test_deadlock_names_the_cycle(void **state) {
    (void)state;
    struct rv_failure failure = deadlock();
    assert_printed(
        &failure, 100,
        "deadlock: 2 threads wait for each other\n"
        "  1 preemption, 3 switches\n"
        "\n"
        "    thread 1 (left)                               |    thread 2 (right)\n"
        " -------------------------------------------------+-------------------------------------------------\n"
        " => lock a.lock                                   |\n"
        "       (takes what another thread will wait for)  |\n"
        "    bank.c:41  lock(&a.lock);                     |\n"
        "    -- preempted --                               |\n"
        "                                                  | => lock b.lock\n"
        "                                                  |       (takes what another thread will wait for)\n"
        "                                                  |    bank.c:42  lock(&b.lock);\n"
        " => blocked in lock of b.lock held by thread 2    |\n"
        "    bank.c:21  in deposit()                       |\n"
        "                                                  | => blocked in lock of a.lock held by thread 1\n"
        "                                                  |    bank.c:22  in deposit()\n"
        "\n"
        "the cycle:\n"
        "  thread 1 (left) waits in lock of b.lock, deposit() at src/bank.c:21\n"
        "    held by thread 2 (right), acquired in transfer() at src/bank.c:42\n"
        "  thread 2 (right) waits in lock of a.lock, deposit() at src/bank.c:22\n"
        "    held by thread 1 (left), acquired in transfer() at src/bank.c:41\n"
        "\n"
        "other threads:\n"
        "  thread 0 (main): blocked in join of thread 1, in deposit() at src/bank.c:20\n"
        "\n");
}

static void test_json_has_the_cycle(void **state) {
    (void)state;
    struct rv_failure failure = deadlock();
    json_t *json = rv_failure_json(&failure, 1), *cycle = json_object_get(json, "cycle");
    assert_int_equal(json_array_size(cycle), 2);
    json_t *edge = json_array_get(cycle, 0);
    assert_string_equal(json_string_value(json_object_get(edge, "waits_for")), "b.lock");
    assert_int_equal(json_integer_value(json_object_get(edge, "held_by")), 2);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(edge, "acquired_at"), "line")), 42);
    json_decref(json);
    rv_failure_free(&failure);
}

static void test_a_wait_without_owner_is_no_cycle(void **state) {
    (void)state;
    struct rv_failure failure = deadlock();
    failure.threads[1].owner = failure.threads[2].owner = RV_NO_THREAD;
    char *text = printed(&failure, false, 100);
    assert_null(strstr(text, "the cycle"));
    assert_non_null(strstr(text, "every thread waits, and none is left to wake it:\n"));
    free(text);
    rv_failure_free(&failure);
}

static void test_needed_time_outs_are_said_with_length(void **state) {
    (void)state;
    struct rv_failure failure = deadlock();
    failure.timeouts = 1;
    failure.timeout_ns = 1500000000;
    char *text = printed(&failure, false, 100);
    assert_non_null(
        strstr(text, "  needs a time-out of 1.5 s to expire while other threads could still run\n"));
    free(text);
    rv_failure_free(&failure);
}

static void test_many_threads_become_marks(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure();
    for (unsigned i = 3; i < 8; i++)
        fixture_event(&failure, i, RV_OP_READ, "balance", i, RV_EVENT_VALUE, NULL, 12, "int b;");
    char *text = printed(&failure, false, 100);
    assert_non_null(strstr(text, "  0  1  2  3  4  5  6  7    (threads)\n"
                                 "  |  *  |  |  |  |  |  | => read balance = 0\n"));
    assert_non_null(strstr(text, "  |  |  |  |  |  *  |  |    read balance = 5\n"));
    free(text);
    rv_failure_free(&failure);
}

static void test_long_lists_are_cut_at_the_front(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure();
    for (unsigned i = 0; i < 290; i++)
        fixture_event(&failure, 1 + i % 2, RV_OP_READ, "balance", i, RV_EVENT_VALUE, NULL, 12, "int b;");
    char *text = printed(&failure, false, 100);
    unsigned lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++) lines++;
    assert_true(lines < 120);
    assert_non_null(strstr(text, "read balance = 289"));
    assert_null(strstr(text, "read balance = 100\n"));
    assert_non_null(strstr(text, "overwrites that change")); /* the decisive steps stay */
    assert_non_null(strstr(text, " steps\n"));
    free(text);
    rv_failure_free(&failure);
}

static void assert_lines_fit(const char *text, unsigned width) {
    while (*text) {
        size_t size = strcspn(text, "\n");
        char *line = rv_text_copy_n(text, size);
        if (rv_text_columns(line) > width) fail_msg("wider than %u: \"%s\"", width, line);
        free(line);
        text += size + (text[size] == '\n');
    }
}

static void test_every_line_fits_the_width(void **state) {
    (void)state;
    for (unsigned width = 40; width < 180; width += 7) {
        struct rv_failure failures[2] = {fixture_failure(), deadlock()};
        for (unsigned i = 0; i < 2; i++) {
            fixture_event(
                &failures[i], 2, RV_OP_ATOMIC_CAS, "a_very_long_name.with.many[12].fields_that_do_not_end", 0,
                0, NULL, 99999,
                "if (compare_and_exchange(&something->of_some_length, expected, desired)) { return 1; }");
            char *text = printed(&failures[i], false, width);
            assert_lines_fit(text, width);
            free(text);
            rv_failure_free(&failures[i]);
        }
    }
}

static void test_hostile_text_is_escaped(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure();
    const char *evil = "\033[2J\a\r\n\x9b\xc2\x9b"
                       "31m\xe2\x80\xae";
    rv_text_set(&failure.message, rv_text_copy(evil));
    rv_text_set(&failure.events[0].object, rv_text_copy(evil));
    rv_text_set(&failure.events[0].at.source, rv_text_copy(evil));
    rv_text_set(&failure.threads[0].name, rv_text_copy(evil));
    rv_text_set(&failure.threads[0].stack.frames[0].function, rv_text_copy(evil));
    rv_text_set(&failure.output, rv_text_copy(evil));
    rv_text_set(&failure.file, rv_text_copy(evil));
    for (int utf8 = 0; utf8 < 2; utf8++) {
        setenv("LC_ALL", utf8 ? "C.UTF-8" : "C", 1);
        char *text = printed(&failure, false, 100);
        for (const char *at = text; *at; at++) assert_true(*at == '\n' || (unsigned char)*at >= 0x20);
        assert_null(strstr(text, "\xc2\x9b"));
        assert_null(strstr(text, "\xe2\x80\xae"));
        assert_null(strchr(text, '\x7f'));
        assert_non_null(strstr(text, "\\x1b[2J"));
        free(text);
    }
    setenv("LC_ALL", "C", 1);
    rv_failure_free(&failure);
}

static void test_colour_only_when_asked(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure();
    char *plain = printed(&failure, false, 100), *colour = printed(&failure, true, 100);
    assert_null(strchr(plain, '\033'));
    assert_non_null(strstr(colour, "\033[1;31massert: "));
    char *to = colour; /* without its colours it is the same text */
    for (const char *from = colour; *from; from++) {
        if (*from == '\033')
            from += strcspn(from, "m");
        else
            *to++ = *from;
    }
    *to = '\0';
    assert_string_equal(colour, plain);
    free(plain);
    free(colour);
    rv_failure_free(&failure);
}

static void test_boxes_only_where_utf8_is_shown(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure();
    setenv("LC_ALL", "C.UTF-8", 1);
    char *boxes = printed(&failure, false, 100);
    setenv("LC_ALL", "C", 1);
    char *ascii = printed(&failure, false, 100);
    assert_non_null(strstr(boxes, "\u2502"));
    for (const char *at = ascii; *at; at++) assert_true((unsigned char)*at < 0x80);
    assert_lines_fit(boxes, 100);
    free(boxes);
    free(ascii);
    rv_failure_free(&failure);
}

static int plain_locale(void **state) {
    (void)state;
    return setenv("LC_ALL", "C", 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_update),
        cmocka_unit_test(test_deadlock_names_the_cycle),
        cmocka_unit_test(test_json_has_the_cycle),
        cmocka_unit_test(test_a_wait_without_owner_is_no_cycle),
        cmocka_unit_test(test_needed_time_outs_are_said_with_length),
        cmocka_unit_test(test_many_threads_become_marks),
        cmocka_unit_test(test_long_lists_are_cut_at_the_front),
        cmocka_unit_test(test_every_line_fits_the_width),
        cmocka_unit_test(test_hostile_text_is_escaped),
        cmocka_unit_test(test_colour_only_when_asked),
        cmocka_unit_test(test_boxes_only_where_utf8_is_shown),
    };
    return cmocka_run_group_tests(tests, plain_locale, NULL);
}
