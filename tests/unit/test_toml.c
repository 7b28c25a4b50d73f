/* TOML: what is read, with positions; what is refused, and where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/toml.h"

static void *memory;

static const struct rv_toml *parse(const char *text, struct rv_toml_error *error) {
    struct rv_arena arena;
    size_t room = RV_TOML_ROOM(strlen(text));
    free(memory);
    memory = calloc(1, room);
    rv_arena_init(&arena, memory, room);
    return rv_toml_parse(&arena, text, strlen(text), error);
}

static const struct rv_toml *read_text(const char *text) {
    struct rv_toml_error error;
    const struct rv_toml *root = parse(text, &error);
    if (!root) fail_msg("%u:%u: %s in %s", error.line, error.column, error.message, text);
    return root;
}

static const struct rv_toml *value_of(const char *text) { return rv_toml_get(read_text(text), "a"); }

static void refuses(const char *text, unsigned line, unsigned column, const char *message) {
    struct rv_toml_error error;
    if (parse(text, &error)) fail_msg("accepted: %s", text);
    assert_string_equal(error.message, message);
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
}

static void test_a_suite(void **state) {
    (void)state;
    const struct rv_toml *root =
        read_text("# a suite\n[suite]\nprogram = \"./app\"\ntimeout = 2.5 # seconds\r\n"
                  "tests = [ { name = \"one\", args = [\"-x\", '1'] },\n"
                  "  # the other\n  { name = 'two' }, ]\n");
    const struct rv_toml *suite = rv_toml_get(root, "suite"), *tests = rv_toml_get(suite, "tests");
    assert_string_equal(rv_toml_get(suite, "program")->string, "./app");
    assert_true(rv_toml_get(suite, "timeout")->number == 2.5);
    assert_int_equal(tests->type, RV_TOML_ARRAY);
    assert_int_equal(tests->count, 2);
    assert_string_equal(rv_toml_get(tests->first, "args")->last->string, "1");
    assert_string_equal(rv_toml_get(tests->last, "name")->string, "two");
    assert_int_equal(tests->last->line, 7);
    assert_int_equal(tests->last->column, 3);
    assert_int_equal(rv_toml_get(suite, "timeout")->key_line, 4);
    assert_int_equal(rv_toml_get(suite, "timeout")->column, 11);
    assert_null(rv_toml_get(suite, "absent"));
    assert_null(rv_toml_get(tests, "name"));
    assert_null(rv_toml_get(NULL, "name"));
}

static void test_strings(void **state) {
    (void)state;
    assert_string_equal(value_of("a = \"\"")->string, "");
    assert_string_equal(value_of("a = \"x\\t\\\"\\\\\\u00e9\\U0001F600\"")->string,
                        "x\t\"\\\xc3\xa9\xf0\x9f\x98\x80");
    assert_string_equal(value_of("a = '\\n\"'")->string, "\\n\"");
    assert_string_equal(value_of("a = \"\"\"\none\n\"two\" \\\n   three\"\"\"\"\"")->string,
                        "one\n\"two\" three\"\"");
    assert_string_equal(value_of("a = '''\nit's\n'''")->string, "it's\n");
    assert_string_equal(value_of("a = '''''\\'''''")->string, "''\\''");
    assert_string_equal(value_of("a = \"\"\"\\\"\"\"x\"\"\"")->string, "\"\"\"x");
    assert_string_equal(value_of("a = \"\"\"a\\\"\"\"\"")->string, "a\"");
}

static void test_numbers_and_booleans(void **state) {
    (void)state;
    assert_int_equal(value_of("a = 1_000")->integer, 1000);
    assert_int_equal(value_of("a = -17")->integer, -17);
    assert_int_equal(value_of("a = 0xff_FF")->integer, 0xffff);
    assert_int_equal(value_of("a = 0o17")->integer, 15);
    assert_int_equal(value_of("a = 0b101")->integer, 5);
    assert_true(value_of("a = -9223372036854775808")->integer == INT64_MIN);
    assert_true(value_of("a = 9223372036854775807")->integer == INT64_MAX);
    assert_int_equal(value_of("a = 1e3")->type, RV_TOML_FLOAT);
    assert_true(value_of("a = 1e3")->number == 1000);
    assert_true(value_of("a = +0.5")->number == 0.5);
    assert_true(value_of("a = 3")->number == 3);
    assert_true(value_of("a = true")->boolean);
    assert_false(value_of("a = false")->boolean);
}

static void test_tables(void **state) {
    (void)state;
    const struct rv_toml *root = read_text("a.b.c = 1\na.b.d = 2\n\"x y\" = 3\n[t.u]\nk = 4\n[t]\nk = 5\n"
                                           "[[m]]\nname = 'one'\n[m.sub]\nv = 1\n[[m]]\n[m.sub]\nv = 2\n");
    assert_int_equal(rv_toml_get(rv_toml_get(rv_toml_get(root, "a"), "b"), "d")->integer, 2);
    assert_int_equal(rv_toml_get(root, "x y")->integer, 3);
    assert_int_equal(rv_toml_get(rv_toml_get(rv_toml_get(root, "t"), "u"), "k")->integer, 4);
    assert_int_equal(rv_toml_get(rv_toml_get(root, "t"), "k")->integer, 5);
    const struct rv_toml *m = rv_toml_get(root, "m");
    assert_int_equal(m->count, 2);
    assert_int_equal(rv_toml_get(rv_toml_get(m->first, "sub"), "v")->integer, 1);
    assert_int_equal(rv_toml_get(rv_toml_get(m->last, "sub"), "v")->integer, 2);
    assert_int_equal(read_text("")->count, 0);
    assert_int_equal(value_of("a = {}")->count, 0);
    assert_int_equal(value_of("a = []")->count, 0);
    assert_int_equal(rv_toml_get(value_of("a = { b.c = 1, b.d = 2 }"), "b")->count, 2);
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const char value[] = "expected a value: a string in quotes, a number, true, false, [ or {";
    static const char key[] = "expected a key: letters, digits, _ and -, or a text in quotes";
    refuses("a = ", 1, 5, value);
    refuses("x = 1\na = tru\n", 2, 5, value);
    refuses("a = 01", 1, 5, value);
    refuses("a = 1__0", 1, 5, value);
    refuses("a = 1_", 1, 5, value);
    refuses("a = 9223372036854775808", 1, 5, value);
    refuses("a = aptestdddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddds", 1, 5,
            value);
    refuses("a = 1.", 1, 5, value);
    refuses("a = 2024-01-01", 1, 5, value);
    refuses("= 1", 1, 1, key);
    refuses("a. = 1", 1, 4, key);
    refuses("a 1", 1, 3, "expected = after the key");
    refuses("a = 1 b = 2", 1, 7, "expected the end of the line");
    refuses("a = 1\na = 2", 2, 1, "\"a\" has been given already, in line 1");
    refuses("[a]\n[a]", 2, 2, "\"a\" has been given already, in line 1");
    refuses("a = {}\n[a]", 2, 2, "\"a\" has been given already, in line 1");
    refuses("a = {}\na.b = 1", 2, 1, "\"a\" is a table already, in line 1");
    refuses("a = []\n[[a]]", 2, 3, "\"a\" has been given already, in line 1");
    refuses("a = 1\n[a.b]", 2, 2, "\"a\" is an integer already, in line 1");
    refuses("[a", 1, 3, "expected ] after the name of the table");
    refuses("[[a]", 1, 5, "expected ]] after the name of the table");
    refuses("a = [1 2]", 1, 8, "expected , or ] in the array");
    refuses("a = { b = 1", 1, 12, "expected , or } in the inline table");
    refuses("a = \"x", 1, 7, "expected \" to close the string");
    refuses("a = \"x\ny\"", 1, 7, "expected \" to close the string");
    refuses("a = '''x\ny", 2, 2, "expected ''' to close the string");
    refuses("a = \"\\q\"", 1, 6, "expected one of \\b \\t \\n \\f \\r \\e \\\" \\\\ \\uXXXX \\UXXXXXXXX");
    refuses("a = \"\\u0000\"", 1, 6, "expected the code of a character, other than 0");
    refuses("a = \"\\u00\"", 1, 10, "expected 4 hexadecimal digits");
    refuses("a = \"\x01\"", 1, 6, "a control character, which has to be escaped");
    refuses("a = \"\xff\"", 1, 6, "expected UTF-8");
    refuses("a = \"\xed\xa0\x80\"", 1, 6, "expected UTF-8");
}

static void test_depth_and_keys_are_bounded(void **state) {
    (void)state;
    char *deep = calloc(1, 2000), *wide = calloc(1, 200000), *at = wide;
    strcpy(deep, "a = ");
    memset(deep + 4, '[', 1000);
    refuses(deep, 1, 4 + RV_TOML_DEPTH + 1, "more than 32 levels");
    for (int i = 0; i <= RV_TOML_KEYS; i++) at += sprintf(at, "k%d=1\n", i);
    refuses(wide, RV_TOML_KEYS + 1, 1, "more than 4096 keys in one table");
    free(deep);
    free(wide);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_suite),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_numbers_and_booleans),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_depth_and_keys_are_bounded),
    };
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    free(memory);
    return status;
}
