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
        "    thread 0 (main) | thread 1 (deposit) | thread 2 (deposit) | bank.c\n"
        "    ----------------+--------------------+--------------------+-------------------------------------\n"
        " =>                 | read balance = 0   |                    | :12  int b = balance;\n"
        "                    | (reads it, then is preempted)           |\n"
        "                    |                    | read balance = 0   | :12  int b = balance;\n"
        " =>                 |                    | write balance      | :13  balance = b + 1;\n"
        "                    |                    | (changes it in between)\n"
        " =>                 | write balance      |                    | :13  balance = b + 1;\n"
        "                    | (overwrites that change)                |\n"
        " => FAILS           |                    |                    | :20  in deposit()\n"
        "\n"
        "the memory: struct account.next (heap block from open() bank.c:8), byte 8 of 24\n"
        "  allocated by thread 0 (main): open() bank.c:8 < worker() :90\n"
        "\n"
        "stack of thread 0 (main):\n"
        "  #0 deposit() at src/bank.c:20\n"
        "  #1 worker() at src/bank.c:90\n"
        "other threads:\n"
        "  thread 1 (deposit): exited, in deposit() at bank.c:21\n"
        "  thread 2 (deposit): exited, in deposit() at bank.c:22\n"
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
        "the cycle:\n"
        "  thread 1 (left) waits in lock of b.lock, deposit() at bank.c:21\n"
        "    held by thread 2 (right), acquired in transfer() at bank.c:42\n"
        "  thread 2 (right) waits in lock of a.lock, deposit() at bank.c:22\n"
        "    held by thread 1 (left), acquired in transfer() at bank.c:41\n"
        "\n"
        "    thread 1 (left)  | thread 2 (right) | bank.c\n"
        "    -----------------+------------------+-----------------------------------------------------------\n"
        " => lock a.lock      |                  | :41  lock(&a.lock);\n"
        "    (takes what another thread will wait for)\n"
        "    (preempted)      |                  |\n"
        " =>                  | lock b.lock      | :42  lock(&b.lock);\n"
        "                     | (takes what another thread will wait for)\n"
        " => waits for b.lock |                  | :21  in deposit()\n"
        " =>                  | waits for a.lock | :22  in deposit()\n"
        "\n"
        "other threads:\n"
        "  thread 0 (main): blocked in join of thread 1, in deposit() at bank.c:20\n"
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
    assert_non_null(strstr(text, "    0  1  2  3  4  5  6  7  (threads)           bank.c\n"
                                 " => |  *  |  |  |  |  |  |   read balance = 0   :12  int b = balance;\n"
                                 "    |  |  |  |  |  |  |  |   (reads it, then is preempted)\n"));
    assert_non_null(strstr(text, "    |  |  |  |  |  *  |  |   read balance = 5   :12  int b;\n"));
    free(text);
    rv_failure_free(&failure);
}

static unsigned count_lines(const char *text) {
    unsigned lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++) lines++;
    return lines;
}

static void test_long_lists_are_cut_at_the_front(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure();
    for (unsigned i = 0; i < 290; i++)
        fixture_event(&failure, 1 + i % 2, RV_OP_READ, "balance", i, RV_EVENT_VALUE, NULL, 12, "int b;");
    char *text = printed(&failure, false, 100);
    assert_true(count_lines(text) < 50);
    assert_non_null(strstr(text, "read balance = 289"));
    assert_null(strstr(text, "read balance = 100\n"));
    assert_non_null(strstr(text, "overwrites that change")); /* the decisive steps stay */
    assert_non_null(strstr(text, " steps\n"));
    free(text);
    rv_failure_free(&failure);
}

static char *printed_with(struct rv_failure *failure, unsigned width) {
    char *text = printed(failure, false, width);
    rv_failure_free(failure);
    return text;
}

static void test_addresses_are_told_apart_by_letters(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure();
    uint64_t values[] = {0x600000000010, 0x600000000020, 0x600000000010, 0, 70000};
    for (unsigned i = 0; i < 5; i++) {
        fixture_event(&failure, 2, RV_OP_WRITE, "head", values[i], RV_EVENT_VALUE, NULL, 30 + i, "head = x;");
        failure.events[failure.event_count - 1].size = 8;
    }
    char *text = printed_with(&failure, 160);
    assert_non_null(strstr(text, "| write head = pointer A | :30"));
    assert_non_null(strstr(text, "| write head = pointer B | :31"));
    assert_non_null(strstr(text, "| write head = pointer A | :32"));
    assert_non_null(strstr(text, "write head = 0 "));
    assert_non_null(strstr(text, "write head = 70000 "));
    assert_null(strstr(text, "0x6"));
    free(text);
}

static void test_names_lose_what_a_reader_knows(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure();
    fixture_event(&failure, 2, RV_OP_READ, "struct node.next #2 (heap block from push() queue.c:41)", 0, 0,
                  NULL, 31, "");
    fixture_event(&failure, 2, RV_OP_FREE, "struct node.next #2 (heap block from push() queue.c:41)", 0, 0,
                  NULL, 32, "");
    fixture_event(&failure, 2, RV_OP_READ, "heap block #3 of 24 bytes from push() queue.c:41, +8", 0, 0, NULL,
                  33, "");
    fixture_event(&failure, 2, RV_OP_READ, "variable A (on the stack of thread 0)", 0, 0, NULL, 34, "");
    char *text = printed_with(&failure, 120);
    assert_non_null(strstr(text, "| read node.next #2 "));
    assert_non_null(strstr(text, "| free node #2 "));
    assert_non_null(strstr(text, "| read heap block #3, +8 "));
    assert_non_null(strstr(text, "| read variable A "));
    free(text);
}

static void test_long_names_lose_their_middle(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure();
    fixture_event(&failure, 1, RV_OP_READ, "connection_table.entries[12].last_used_at", 5, RV_EVENT_VALUE,
                  NULL, 40, "table->entries[i].last_used_at");
    char *text = printed_with(&failure, 60);
    assert_non_null(strstr(text, "read connec..sed_at = 5"));
    free(text);
}

static void test_threads_that_come_and_go_are_not_told(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure();
    for (unsigned i = 0; i < 3; i++)
        fixture_event(&failure, 0, i ? RV_OP_JOIN : RV_OP_CREATE, "thread 1", 0, 0, NULL, 80 + i, "");
    fixture_event(&failure, 7, RV_OP_EXIT, "thread 7", 0, 0, NULL, 90, "");
    fixture_event(&failure, 7, RV_OP_WRITE, "balance", 3, RV_EVENT_VALUE, NULL, 13, "balance = b + 1;");
    char *text = printed_with(&failure, 160);
    assert_null(strstr(text, "create thread"));
    assert_null(strstr(text, "join thread"));
    assert_null(strstr(text, "exit thread"));
    assert_non_null(strstr(text, "thread 7 (deposit)")); /* joined, but its end tells its name */
    free(text);
}

static void test_the_file_is_with_every_line_if_there_are_several(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure();
    rv_text_set(&failure.events[0].at.file, rv_text_copy("src/other.c"));
    char *text = printed_with(&failure, 120);
    assert_non_null(strstr(text, "| other.c:12  int b = balance;\n"));
    assert_non_null(strstr(text, "| bank.c:13  balance = b + 1;\n"));
    free(text);
}

static void test_a_screenful_is_enough(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure();
    for (unsigned i = 0; i < 60; i++) {
        fixture_event(&failure, 1 + i % 2, i % 3 ? RV_OP_LOCK : RV_OP_READ, i % 3 ? "lock" : "balance", i,
                      RV_EVENT_VALUE, NULL, 12 + i, "source");
        failure.events[failure.event_count - 1].weight = (uint8_t)(i % 4);
    }
    for (unsigned i = 0; i < 30; i++)
        fixture_thread(&failure, 10 + i, "idle", "blocked in wait", RV_OP_COND_WAIT, "", RV_NO_THREAD, NULL);
    char *text = printed_with(&failure, 100);
    assert_true(count_lines(text) <= 50);
    free(text);
}

static void test_deadlocked_threads_are_told_once(void **state) {
    (void)state;
    struct rv_failure failure = deadlock();
    char *text = printed_with(&failure, 100);
    const char *others = strstr(text, "other threads:");
    assert_non_null(others);
    assert_true(strstr(text, "the cycle:") < strstr(text, "lock(&a.lock);"));
    assert_null(strstr(others, "thread 1 ("));
    assert_null(strstr(others, "thread 2 ("));
    free(text);
}

static void test_output_does_not_repeat_the_message(void **state) {
    (void)state;
    struct rv_failure failure = fixture_failure();
    rv_text_set(&failure.output, rv_text_copy("bank: Assertion `balance == 2' failed.\n"));
    char *text = printed_with(&failure, 100);
    assert_null(strstr(text, "the program printed"));
    free(text);
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
    for (unsigned width = 40; width <= 200; width += 5) {
        struct rv_failure failures[2] = {fixture_failure(), deadlock()};
        for (unsigned i = 0; i < 2; i++) {
            fixture_event(
                &failures[i], 2, RV_OP_ATOMIC_CAS, "a_very_long_name.with.many[12].fields_that_do_not_end", 0,
                0, NULL, 99999,
                "if (compare_and_exchange(&something->of_some_length, expected, desired)) { return 1; }");
            fixture_event(&failures[i], 1, RV_OP_READ, "\u5e33\u7c3f.\u6b8b\u9ad8\u6b8b\u9ad8\u6b8b\u9ad8", 0,
                          0, "a reason", 7, "return \u6b8b\u9ad8\u6b8b\u9ad8\u6b8b\u9ad8\u6b8b\u9ad8;");
            for (int utf8 = 0; utf8 < 2; utf8++) {
                setenv("LC_ALL", utf8 ? "C.UTF-8" : "C", 1);
                char *text = printed(&failures[i], false, width);
                assert_lines_fit(text, width);
                free(text);
            }
            rv_failure_free(&failures[i]);
        }
    }
    setenv("LC_ALL", "C", 1);
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
        cmocka_unit_test(test_addresses_are_told_apart_by_letters),
        cmocka_unit_test(test_names_lose_what_a_reader_knows),
        cmocka_unit_test(test_long_names_lose_their_middle),
        cmocka_unit_test(test_threads_that_come_and_go_are_not_told),
        cmocka_unit_test(test_the_file_is_with_every_line_if_there_are_several),
        cmocka_unit_test(test_a_screenful_is_enough),
        cmocka_unit_test(test_deadlocked_threads_are_told_once),
        cmocka_unit_test(test_output_does_not_repeat_the_message),
        cmocka_unit_test(test_every_line_fits_the_width),
        cmocka_unit_test(test_hostile_text_is_escaped),
        cmocka_unit_test(test_colour_only_when_asked),
        cmocka_unit_test(test_boxes_only_where_utf8_is_shown),
    };
    return cmocka_run_group_tests(tests, plain_locale, NULL);
}
