/* The file of --pairs: what is read, what is refused and where, which locations are meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "report/pairs.h"

static struct rv_pairs read_text(const char *text) {
    struct rv_pairs pairs;
    char *error = NULL;
    if (!rv_pairs_from_text(&pairs, text, strlen(text), "p.txt", &error)) fail_msg("%s", error);
    return pairs;
}

static void refuses_n(const char *text, size_t size, const char *expected) {
    struct rv_pairs pairs;
    char *error = NULL;
    assert_false(rv_pairs_from_text(&pairs, text, size, "p.txt", &error));
    assert_string_equal(error, expected);
    assert_int_equal(pairs.count, 0);
    free(error);
}

static void refuses(const char *text, const char *expected) { refuses_n(text, strlen(text), expected); }

static void test_reads_pairs(void **state) {
    (void)state;
    struct rv_pairs pairs = read_text("# comment\n\n a.c:1 \t b.c:4294967295 # too\r\n"
                                      "\"my file.c\":7 \"a \\\"b\\\" \\\\c:1\":8\nC:x.c:3 a.c:1");
    assert_int_equal(pairs.count, 3);
    assert_string_equal(pairs.file, "p.txt");
    assert_string_equal(pairs.pairs[0].a.file, "a.c");
    assert_int_equal(pairs.pairs[0].a.line, 1);
    assert_string_equal(pairs.pairs[0].b.file, "b.c");
    assert_int_equal(pairs.pairs[0].b.line, UINT32_MAX);
    assert_int_equal(pairs.pairs[0].line, 3);
    assert_string_equal(pairs.pairs[1].a.file, "my file.c");
    assert_string_equal(pairs.pairs[1].b.file, "a \"b\" \\c:1");
    assert_int_equal(pairs.pairs[1].b.line, 8);
    assert_string_equal(pairs.pairs[2].a.file, "C:x.c");
    assert_int_equal(pairs.pairs[2].a.line, 3);
    rv_pairs_free(&pairs);
}

static void test_errors_name_line_and_column(void **state) {
    (void)state;
    refuses("", "p.txt:1:1: expected a pair of statements, as FILE:LINE FILE:LINE");
    refuses("# a\n# b\n", "p.txt:3:1: expected a pair of statements, as FILE:LINE FILE:LINE");
    refuses("a.c:1\n", "p.txt:1:6: expected a second statement, as FILE:LINE");
    refuses("a.c:1 b.c:2\na.c:1 # b.c:2\n", "p.txt:2:7: expected a second statement, as FILE:LINE");
    refuses("a.c b.c:2\n", "p.txt:1:4: expected a colon and the number of a line");
    refuses("a.c:1 b.c\n", "p.txt:1:10: expected a colon and the number of a line");
    refuses(":1 b.c:2\n", "p.txt:1:1: expected the name of a file");
    refuses("\"\":1 b.c:2\n", "p.txt:1:1: expected the name of a file");
    refuses("a.c:0 b.c:2\n", "p.txt:1:5: expected the number of a line");
    refuses("a.c: b.c:2\n", "p.txt:1:5: expected the number of a line");
    refuses("a.c:1 b.c:2x\n", "p.txt:1:11: expected the number of a line");
    refuses("a.c:4294967296 b.c:2\n", "p.txt:1:5: expected the number of a line");
    refuses("a.c:1 b.c:2 c.c:3\n", "p.txt:1:13: expected the end of the line after two statements");
    refuses("\"a.c:1 b.c:2\n", "p.txt:1:13: expected a closing quote");
    refuses("\"a.c\\\n", "p.txt:1:6: expected a closing quote");
    refuses("\"a\\b.c\":1 b.c:2\n", "p.txt:1:4: expected \\\" or \\\\ after a backslash in quotes");
    refuses("\"a.c\" b.c:2\n", "p.txt:1:6: expected a colon and the number of a line");
    refuses_n("a.c:1 b\0c:2\n", 12, "p.txt:1:8: a NUL byte, not text");
}

static void test_files_are_the_same_from_a_slash_on(void **state) {
    (void)state;
    assert_true(rv_pairs_same_file("queue.c", "queue.c"));
    assert_true(rv_pairs_same_file("queue.c", "src/queue.c"));
    assert_true(rv_pairs_same_file("/home/me/src/queue.c", "src/queue.c"));
    assert_true(rv_pairs_same_file("./src/queue.c", "src/queue.c"));
    assert_true(rv_pairs_same_file("queue.c", "./queue.c"));
    assert_true(rv_pairs_same_file("/a/queue.c", "/a/queue.c"));
    assert_false(rv_pairs_same_file("queue.c", "my_queue.c"));
    assert_false(rv_pairs_same_file("src/queue.c", "test/queue.c"));
    assert_false(rv_pairs_same_file("/src/queue.c", "/home/src/queue.c"));
    assert_false(rv_pairs_same_file("queue.c", "src/queue.cc"));
    assert_false(rv_pairs_same_file("", ""));
    assert_false(rv_pairs_same_file("queue.c", ""));
    assert_false(rv_pairs_same_file("./", "src/"));
}

static void test_matches_in_either_order(void **state) {
    (void)state;
    struct rv_pairs pairs =
        read_text("queue.c:41 src/queue.c:57\nqueue.c:41 queue.c:41\nother.c:1 other.c:2\n");
    struct rv_location push = {.file = "src/queue.c", .line = 41}, pop = {.file = "src/queue.c", .line = 57};
    struct rv_location unknown = {.file = "src/queue.c", .line = 0};
    size_t cursor = 0;
    assert_true(rv_pairs_match(&pairs, 0, &push, &pop));
    assert_true(rv_pairs_match(&pairs, 0, &pop, &push));
    assert_false(rv_pairs_match(&pairs, 0, &push, &push));
    assert_false(rv_pairs_match(&pairs, 0, &push, &unknown));
    assert_int_equal(pairs.pairs[0].matches, 2);
    assert_false(rv_pairs_match(&pairs, 1, &push, &pop));
    assert_int_equal(rv_pairs_unmatched(&pairs, &cursor)->line, 2);
    assert_int_equal(rv_pairs_unmatched(&pairs, &cursor)->line, 3);
    assert_null(rv_pairs_unmatched(&pairs, &cursor));
    assert_true(rv_pairs_match(&pairs, 1, &push, &push));
    cursor = 0;
    assert_int_equal(rv_pairs_unmatched(&pairs, &cursor)->line, 3);
    rv_pairs_free(&pairs);
}

static void test_files_that_cannot_be_read(void **state) {
    (void)state;
    struct rv_pairs pairs;
    char *error = NULL;
    assert_false(rv_pairs_read(&pairs, "/", &error));
    assert_string_equal(error, "/: is a directory, expected a file of pairs");
    free(error);
    assert_false(rv_pairs_read(&pairs, "/nowhere/p.txt", &error));
    assert_string_equal(error, "/nowhere/p.txt: cannot be read: No such file or directory");
    free(error);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_pairs),
        cmocka_unit_test(test_errors_name_line_and_column),
        cmocka_unit_test(test_files_are_the_same_from_a_slash_on),
        cmocka_unit_test(test_matches_in_either_order),
        cmocka_unit_test(test_files_that_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
