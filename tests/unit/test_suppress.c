/* Suppressions: what is read, what is refused and where, what matches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "race_sample.h"
#include "report/suppress.h"
#include "report/text.h"

static struct rv_suppressions *listed(const char *text) {
    struct rv_suppressions *list = rv_suppressions_new();
    char *error = NULL;
    if (!rv_suppressions_add(list, text, strlen(text), "s.txt", &error)) fail_msg("%s", error);
    return list;
}

static void refuses_n(const char *text, size_t size, const char *expected) {
    struct rv_suppressions *list = rv_suppressions_new();
    char *error = NULL;
    size_t cursor = 0;
    assert_false(rv_suppressions_add(list, text, size, "s.txt", &error));
    assert_string_equal(error, expected);
    assert_null(rv_suppressions_unused(list, &cursor));
    free(error);
    rv_suppressions_free(list);
}

static void refuses(const char *text, const char *expected) { refuses_n(text, strlen(text), expected); }

static bool hides_race(const char *text) {
    struct sample sample;
    sample_fill(&sample);
    struct rv_suppressions *list = listed(text);
    bool hidden = rv_suppress_race(list, &sample.race) != NULL;
    rv_suppressions_free(list);
    return hidden;
}

static bool hides_deadlock(const char *text) {
    struct sample sample;
    sample_fill(&sample);
    struct rv_suppressions *list = listed(text);
    bool hidden = rv_suppress_deadlock(list, &sample.deadlock) != NULL;
    rv_suppressions_free(list);
    return hidden;
}

static void test_patterns(void **state) {
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool matches;
    } cases[] = {
        {"foo", "a foo b", true},
        {"foo", "fo", false},
        {"^foo", "foobar", true},
        {"^foo", "a foo", false},
        {"foo$", "a foo", true},
        {"foo$", "foo a", false},
        {"foo$", "foofoo", true},
        {"^foo$", "foo", true},
        {"^foo$", "foofoo", false},
        {"a*b", "xaxxbx", true},
        {"a*b", "ba", false},
        {"^a*b$", "ab", true},
        {"^a*b$", "abab", true},
        {"^a*b$", "xab", false},
        {"^a*b$", "abx", false},
        {"a*a", "a", false},
        {"aa*a$", "aa", false},
        {"^ab*ba$", "aba", false},
        {"a*b*c", "a1b2c3", true},
        {"a*b*c", "a1c2b3", false},
        {"*", "x", true},
        {"**x**", "x", true},
        {"*", "", false},
        {"^", "x", true},
        {"$", "x", true},
        {"^$", "x", false},
        {"a$b", "xa$bx", true},
        {"a$b", "xa", false},
        {"a^b", "a^b", true},
        {"^*foo$", "a foo", true},
        {"operator()(int)", "operator()(int) const", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (rv_suppression_matches(cases[i].pattern, cases[i].text) != cases[i].matches)
            fail_msg("\"%s\" in \"%s\"", cases[i].pattern, cases[i].text);
    }
}

/* The obvious way: try everything. `pattern` is what stands between ^ and $. */
static bool slowly(const char *pattern, const char *text, bool to_end) {
    if (!*pattern) return !to_end || !*text;
    if (*pattern == '*') {
        for (;; text++) {
            if (slowly(pattern + 1, text, to_end)) return true;
            if (!*text) return false;
        }
    }
    return *pattern == *text && slowly(pattern + 1, text + 1, to_end);
}

static void test_patterns_match_as_trying_everything_does(void **state) {
    (void)state;
    struct rv_rng rng = rv_rng_stream(1, 0);
    unsigned matched = 0;
    for (int round = 0; round < 200000; round++) {
        char body[8] = "", pattern[16], text[8] = "";
        unsigned size = (unsigned)(rv_rng_next(&rng) % 6), text_size = 1 + (unsigned)(rv_rng_next(&rng) % 7);
        for (unsigned i = 0; i < size; i++) body[i] = "ab*"[rv_rng_next(&rng) % 3];
        for (unsigned i = 0; i < text_size; i++) text[i] = "ab"[rv_rng_next(&rng) % 2];
        bool begin = rv_rng_next(&rng) & 1, end = rv_rng_next(&rng) & 1, expected = false;
        snprintf(pattern, sizeof pattern, "%s%s%s", begin ? "^" : "", body, end ? "$" : "");
        for (unsigned from = 0; from <= text_size && !expected && (from == 0 || !begin); from++)
            expected = slowly(body, text + from, end);
        matched += expected;
        if (rv_suppression_matches(pattern, text) != expected) fail_msg("\"%s\" in \"%s\"", pattern, text);
    }
    assert_in_range(matched, 20000, 180000);
}

static void test_race_types(void **state) {
    (void)state;
    assert_true(hides_race("race:queue_push\n"));
    assert_true(hides_race("race:src/main.c"));
    assert_true(hides_race("race:^/opt/queue$"));
    assert_true(hides_race("race:queue.head"));
    assert_true(hides_race("race:memcpy"));
    assert_false(hides_race("race:nothing"));
    assert_true(hides_race("race_top:memcpy"));
    assert_true(hides_race("race_top:queue_pop"));
    assert_false(hides_race("race_top:queue_push"));
    assert_false(hides_race("race_top:queue.head"));
    assert_true(hides_race("called_from_lib:libc.so"));
    assert_false(hides_race("called_from_lib:queue_push"));
    assert_true(hides_race("function:^queue_push$"));
    assert_false(hides_race("function:main.c"));
    assert_true(hides_race("file:queue.c$"));
    assert_false(hides_race("file:queue_push"));
    assert_true(hides_race("variable:^queue.head$"));
    assert_false(hides_race("variable:main"));
    assert_false(hides_race("deadlock:queue_push"));
    assert_false(hides_race("mutex:queue_push"));
    assert_false(hides_race("thread:*"));
    assert_false(hides_race("signal:*"));
}

static void test_deadlock_types(void **state) {
    (void)state;
    assert_true(hides_deadlock("deadlock:^transfer$"));
    assert_true(hides_deadlock("deadlock:bank.c"));
    assert_true(hides_deadlock("deadlock:^bank.b$"));
    assert_true(hides_deadlock("mutex:transfer_second"));
    assert_false(hides_deadlock("deadlock:queue"));
    assert_true(hides_deadlock("called_from_lib:libbank"));
    assert_false(hides_deadlock("called_from_lib:transfer"));
    assert_true(hides_deadlock("function:account_lock"));
    assert_false(hides_deadlock("function:bank.a"));
    assert_true(hides_deadlock("file:src/bank.c"));
    assert_true(hides_deadlock("variable:bank.a"));
    assert_false(hides_deadlock("variable:transfer"));
    assert_false(hides_deadlock("race:transfer"));
    assert_false(hides_deadlock("race_top:account_lock"));
    assert_false(hides_deadlock("thread:*"));
}

static void test_lines(void **state) {
    (void)state;
    assert_true(hides_race("# a comment\n\n \t # another\r\n  race:queue_push \t\r\n"));
    assert_true(hides_race("race:nothing\nrace:queue_push"));
    assert_false(hides_race("#race:queue_push\n"));
    assert_false(hides_race(""));
    /* A pattern may contain colons, spaces and #. */
    assert_false(hides_race("race:std::queue #1\n"));
}

static void test_errors_name_line_and_column(void **state) {
    (void)state;
    refuses("race:a\nrase:b\n",
            "s.txt:2:1: expected a type of suppression, not \"rase\"; did you mean \"race\"?");
    refuses("  dedlock:b\n",
            "s.txt:1:3: expected a type of suppression, not \"dedlock\"; did you mean \"deadlock\"?");
    refuses("leak:b\n", "s.txt:1:1: expected a type of suppression such as race, not \"leak\"");
    refuses(":b\n", "s.txt:1:1: expected a type of suppression such as race, not \"\"");
    refuses("\n\nqueue_push\n", "s.txt:3:1: expected TYPE:PATTERN, for example race:queue_push");
    refuses("race queue_push\n", "s.txt:1:1: expected TYPE:PATTERN, for example race:queue_push");
    refuses(" race\n", "s.txt:1:6: expected a colon and a pattern");
    refuses("race:  \n", "s.txt:1:6: expected a pattern");
    refuses("race:", "s.txt:1:6: expected a pattern");
    refuses_n("race:a\nrace:\0b\n", 15, "s.txt:2:6: a NUL byte, not text");
    refuses("ra\x1b[1m:x\n", "s.txt:1:1: expected a type of suppression such as race, not \"ra\\x1b[1m\"");
}

static void test_long_lines(void **state) {
    (void)state;
    char text[RV_SUPPRESS_MAX_LINE + 3];
    memset(text, 'x', sizeof text);
    memcpy(text, "race:", 5);
    text[RV_SUPPRESS_MAX_LINE] = '\n';
    text[RV_SUPPRESS_MAX_LINE + 1] = '\0';
    assert_false(hides_race(text));
    text[RV_SUPPRESS_MAX_LINE] = 'x';
    text[RV_SUPPRESS_MAX_LINE + 1] = '\n';
    refuses_n(text, RV_SUPPRESS_MAX_LINE + 2,
              "s.txt:1:4097: expected the end of the line: it has more than 4096 bytes");
}

static void test_what_matched_and_what_did_not(void **state) {
    (void)state;
    struct sample sample;
    char *error = NULL;
    size_t cursor = 0;
    sample_fill(&sample);
    struct rv_suppressions *list =
        listed("race:nobody\nthread:x\n# no\nrace:queue_push\nfunction:queue_pop\ndeadlock:bank\n");
    assert_true(rv_suppressions_add(list, "variable:tail", 13, "more.txt", &error));
    const struct rv_suppression *entry = rv_suppress_race(list, &sample.race);
    assert_int_equal(entry->line, 4);
    assert_string_equal(entry->pattern, "queue_push");
    assert_ptr_equal(rv_suppress_race(list, &sample.race), entry);
    assert_int_equal(entry->matches, 2);
    entry = rv_suppressions_unused(list, &cursor);
    assert_string_equal(entry->file, "s.txt");
    assert_int_equal(entry->line, 1);
    assert_string_equal(rv_suppression_names[entry->type], "race");
    entry = rv_suppressions_unused(list, &cursor); /* queue_pop would have matched, too */
    assert_int_equal(entry->line, 6);
    entry = rv_suppressions_unused(list, &cursor);
    assert_string_equal(entry->file, "more.txt");
    assert_string_equal(entry->pattern, "tail");
    assert_null(rv_suppressions_unused(list, &cursor));
    cursor = 0;
    assert_int_equal(rv_suppress_deadlock(list, &sample.deadlock)->line, 6);
    rv_suppressions_unused(list, &cursor);
    assert_string_equal(rv_suppressions_unused(list, &cursor)->file, "more.txt");
    rv_suppressions_free(list);
}

static void test_an_error_adds_nothing(void **state) {
    (void)state;
    struct sample sample;
    char *error = NULL;
    size_t cursor = 0;
    sample_fill(&sample);
    struct rv_suppressions *list = listed("race:nobody\n");
    assert_false(rv_suppressions_add(list, "race:queue\nrace\n", 16, "more.txt", &error));
    assert_string_equal(error, "more.txt:2:5: expected a colon and a pattern");
    free(error);
    assert_null(rv_suppress_race(list, &sample.race));
    assert_non_null(rv_suppressions_unused(list, &cursor));
    assert_null(rv_suppressions_unused(list, &cursor));
    rv_suppressions_free(list);
}

static void test_files(void **state) {
    (void)state;
    char path[] = "/tmp/ravel_suppress_XXXXXX", *error = NULL;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "race:queue_push\nrac:x\n", 22), 22);
    struct rv_suppressions *list = rv_suppressions_new();
    assert_false(rv_suppressions_read(list, path, &error));
    char *expected =
        rv_text_format("%s:2:1: expected a type of suppression, not \"rac\"; did you mean \"race\"?", path);
    assert_string_equal(error, expected);
    free(expected);
    free(error);
    assert_int_equal(ftruncate(fd, 16), 0);
    assert_true(rv_suppressions_read(list, path, &error));
    close(fd);
    unlink(path);
    assert_false(rv_suppressions_read(list, path, &error));
    assert_non_null(strstr(error, "cannot be read: No such file"));
    free(error);
    assert_false(rv_suppressions_read(list, "/", &error));
    assert_string_equal(error, "/: is a directory, expected a file of suppressions");
    free(error);
    rv_suppressions_free(list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_patterns_match_as_trying_everything_does),
        cmocka_unit_test(test_race_types),
        cmocka_unit_test(test_deadlock_types),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_errors_name_line_and_column),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_what_matched_and_what_did_not),
        cmocka_unit_test(test_an_error_adds_nothing),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
