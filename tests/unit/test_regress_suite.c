/* Suites, histories, recorded bases, hunks: what is read, what is refused and where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "regress/bases.h"
#include "regress/git.h"
#include "regress/history.h"
#include "regress/suite.h"
#include "sketch.h"

/* --- suites --- */

static struct rv_test_suite parse(const char *text) {
    struct rv_test_suite suite;
    char *error = NULL;
    if (!rv_test_suite_parse(&suite, text, strlen(text), "dir/ravel.toml", NULL, &error))
        fail_msg("%s", error);
    return suite;
}

static void refuses(const char *text, const char *expected) {
    struct rv_test_suite suite;
    char *error = NULL;
    assert_false(rv_test_suite_parse(&suite, text, strlen(text), "s.toml", NULL, &error));
    assert_string_equal(error, expected);
    assert_null(suite.tests);
    free(error);
}

static void test_a_suite_of_tests(void **state) {
    (void)state;
    struct rv_test_suite suite = parse(
        "[suite]\nprogram = \"./app\"\ntimeout = 2\ntests = [\n  { name = \"put\", args = [\"--put\", \"a b\"] },\n"
        "  { stdin = \"in.txt\", env = { A = \"1\", B = \"x=y\" }, timeout = 0.5, program = \"/bin/other\" },\n]\n");
    assert_int_equal(suite.count, 2);
    assert_string_equal(suite.directory, "dir");
    assert_string_equal(suite.tests[0].name, "put");
    assert_string_equal(suite.tests[0].program, "dir/app");
    assert_string_equal(suite.tests[0].args[1], "a b");
    assert_null(suite.tests[0].args[2]);
    assert_null(suite.tests[0].input);
    assert_true(suite.tests[0].timeout == 2);
    assert_string_equal(suite.tests[1].name, "2");
    assert_string_equal(suite.tests[1].input, "dir/in.txt");
    assert_string_equal(suite.tests[1].env[1], "B=x=y");
    assert_string_equal(suite.tests[1].program, "/bin/other");
    assert_true(suite.tests[1].timeout == 0.5);
    assert_null(suite.tests[1].args[0]);
    rv_test_suite_free(&suite);
}

static void test_what_a_suite_must_not_be(void **state) {
    (void)state;
    refuses("", "s.toml:1:1: expected a table [suite]");
    refuses("[suite]\n", "s.toml:1:2: expected one of cases, tests, ctest in [suite]");
    refuses("[suite]\ncases = \"a\"\nctest = \"b\"\n",
            "s.toml:1:2: expected one of cases, tests, ctest in [suite]");
    refuses("[suite]\ncases = \"a\"\n", "s.toml:1:2: expected program in [suite], which runs the cases");
    refuses("[suite]\nprogam = \"a\"\n", "s.toml:2:1: unknown key \"progam\" (did you mean \"program\"?)");
    refuses("[suite]\nprogram = 3\n", "s.toml:2:11: expected a text for \"program\", not an integer");
    refuses("[suite]\ntests = 3\n", "s.toml:2:9: expected an array of tables for \"tests\", not an integer");
    refuses("[suite]\ntests = []\n", "s.toml:1:2: there is no test in this suite");
    refuses("[suite]\ntests = [ { name = \"a\" } ]\n", "s.toml:2:11: expected a program for this test");
    refuses("[suite]\nprogram = \"p\"\ntests = [ { name = \"a\" },\n { name = \"a\" } ]\n",
            "s.toml:4:2: a second test of this name: \"a\"");
    refuses("[suite]\nprogram = \"p\"\ntests = [ { args = [1] } ]\n",
            "s.toml:3:21: expected a text for \"this\", not an integer");
    refuses("[suite]\nprogram = \"p\"\ntimeout = 0\ntests = [ {} ]\n",
            "s.toml:3:11: expected a number of seconds for \"timeout\", not an integer");
    refuses("[suite]\nprogram = \"p\n", "s.toml:2:13: expected \" to close the string");
}

static struct rv_test_suite cases(const char *text) {
    struct rv_test_suite suite = {0};
    struct rv_suite_test base = {.program = (char[]){"./p"}, .directory = (char[]){"."}, .timeout = 1};
    char *error = NULL;
    if (!rv_suite_add_cases(&suite, text, strlen(text), "tests.txt", &base, &error)) fail_msg("%s", error);
    return suite;
}

static void refuses_cases(const char *text, const char *expected) {
    struct rv_test_suite suite = {0};
    struct rv_suite_test base = {.program = (char[]){"./p"}, .directory = (char[]){"."}, .timeout = 1};
    char *error = NULL;
    assert_false(rv_suite_add_cases(&suite, text, strlen(text), "tests.txt", &base, &error));
    assert_string_equal(error, expected);
    free(error);
    rv_test_suite_free(&suite);
}

static void test_lines_of_arguments(void **state) {
    (void)state;
    struct rv_test_suite suite =
        cases("# tests\n\nput-get: put 'a b' \"c \\\" d\" e\\ f\r\n -x http://h:1/ ''\nempty:\n");
    assert_int_equal(suite.count, 3);
    assert_string_equal(suite.tests[0].name, "put-get");
    assert_string_equal(suite.tests[0].args[1], "a b");
    assert_string_equal(suite.tests[0].args[2], "c \" d");
    assert_string_equal(suite.tests[0].args[3], "e f");
    assert_null(suite.tests[0].args[4]);
    assert_string_equal(suite.tests[1].name, "2");
    assert_string_equal(suite.tests[1].args[1], "http://h:1/");
    assert_string_equal(suite.tests[1].args[2], "");
    assert_string_equal(suite.tests[2].name, "empty");
    assert_null(suite.tests[2].args[0]);
    rv_test_suite_free(&suite);
    refuses_cases("# nothing\n", "tests.txt:2:1: expected a test: the arguments of the program");
    refuses_cases("a\nb 'c\n", "tests.txt:2:3: expected a closing quote");
    refuses_cases("a: 1\na: 2\n", "tests.txt:2:1: a second test of this name");
}

static void test_what_ctest_says(void **state) {
    (void)state;
    static const char text[] =
        "{\"kind\":\"ctestInfo\",\"tests\":[{\"name\":\"one\",\"command\":[\"/b/p\",\"-x\"],\"properties\":["
        "{\"name\":\"WORKING_DIRECTORY\",\"value\":\"/b\"},{\"name\":\"TIMEOUT\",\"value\":3.0},"
        "{\"name\":\"ENVIRONMENT\",\"value\":[\"A=1\"]}]},{\"name\":\"not built\"},"
        "{\"name\":\"off\",\"command\":[\"/b/p\"],\"properties\":[{\"name\":\"DISABLED\",\"value\":true}]}]}";
    struct rv_test_suite suite = {0};
    struct rv_suite_test base = {.directory = (char[]){"."}, .timeout = 1};
    char *error = NULL;
    assert_true(rv_suite_add_ctest_json(&suite, text, strlen(text), &base, &error));
    assert_int_equal(suite.count, 1);
    assert_string_equal(suite.tests[0].program, "/b/p");
    assert_string_equal(suite.tests[0].args[0], "-x");
    assert_string_equal(suite.tests[0].directory, "/b");
    assert_string_equal(suite.tests[0].env[0], "A=1");
    assert_true(suite.tests[0].timeout == 3);
    rv_test_suite_free(&suite);
    assert_false(rv_suite_add_ctest_json(&suite, "{}", 2, &base, &error));
    assert_string_equal(error, "CTest: expected \"tests\" in its list");
    free(error);
    assert_false(rv_suite_add_ctest_json(&suite, "{", 1, &base, &error));
    free(error);
}

/* --- histories --- */

static void test_a_history_and_back(void **state) {
    (void)state;
    struct rv_trial trial = {.program = 2,
                             .outcome = RV_TRIAL_FAIL,
                             .message = strdup("a \"b\"\n\x01"),
                             .seconds = 1.5,
                             .cut = true};
    rv_trial_add(&trial, (struct rv_trial_place){rv_trial_file(&trial, "src/a \"b\".c"), 12, 3, 'w'});
    rv_trial_add(&trial, (struct rv_trial_place){rv_trial_file(&trial, "b.c"), 1, 0, 'c'});
    rv_trial_add_race(&trial, (struct rv_trial_race){{0, 1}, {12, 1}});
    assert_int_equal(rv_trial_file(&trial, "b.c"), 1);
    size_t size, again_size;
    char *text = rv_trial_write(&trial, &size), *error = NULL;
    struct rv_trial back;
    if (!rv_trial_read(&back, text, size, "h", &error)) fail_msg("%s", error);
    assert_int_equal(back.outcome, RV_TRIAL_FAIL);
    assert_true(back.cut && back.seconds == 1.5 && back.program == 2);
    assert_string_equal(back.message, trial.message);
    assert_int_equal(back.place_count, 2);
    assert_int_equal(back.race_count, 1);
    char *again = rv_trial_write(&back, &again_size);
    assert_string_equal(again, text);
    free(again);
    free(text);
    rv_trial_free(&trial);
    rv_trial_free(&back);
}

static void refuses_history(const char *text, const char *expected) {
    struct rv_trial trial;
    char *error = NULL;
    assert_false(rv_trial_read(&trial, text, strlen(text), "h", &error));
    assert_string_equal(error, expected);
    assert_null(trial.files);
    free(error);
}

static void test_damaged_histories(void **state) {
    (void)state;
    refuses_history("", "h:1:1: the text is cut off, expected \"ravel-test\"");
    refuses_history("ravel-test 2\n", "h:1:12: written by a later ravel (version 2)");
    refuses_history("ravel-test 1\nprogram 0\noutcome well \"\"\n",
                    "h:3:9: expected pass, fail, timeout or error");
#define HEAD "ravel-test 1\nprogram 0\noutcome pass \"\"\ntime 1\ncut 0\n"
    refuses_history(HEAD "file \"a.c\"\nplace 1 2 r 0\n", "h:7:7: expected the number of a file, below 1");
    refuses_history(HEAD "file \"a.c\"\nplace 0 2 x 0\n",
                    "h:7:11: expected one of r, w, u, c, s, or a capital one");
    refuses_history(HEAD "file \"a.c\"\nrace 0 2 1 0\n", "h:7:10: expected the number of a file, below 1");
    refuses_history(HEAD "fire\n", "h:6:1: expected file, place or race");
}

/* Which blocks of the base the places are. */
static void test_blocks_of_places(void **state) {
    (void)state;
    static const char source[] = "function f in src/a.c\n"
                                 "block a -> 1:b 0:c\n"
                                 "  x r:x\n"
                                 "block b\n"
                                 "  y call:g\n"
                                 "block c\n"
                                 "  l lock:m\n"
                                 "function g in src/a.c\n"
                                 "block d\n"
                                 "  z w:x\n"
                                 "  plain\n";
    struct sketch sketch;
    sketch_make(&sketch, source);
    struct rv_trial trial = {0};
    uint32_t file = rv_trial_file(&trial, "/home/me/src/a.c"),
             other = rv_trial_file(&trial, "/home/me/lib/a.c");
    rv_trial_add(&trial, (struct rv_trial_place){file, 3, 1, 'r'});
    rv_trial_add(&trial, (struct rv_trial_place){file, 5, 1, 'c'});
    rv_trial_add(&trial, (struct rv_trial_place){file, 7, 2, 's'});
    rv_trial_add(&trial, (struct rv_trial_place){file, 3, 0, 'R'});
    rv_trial_add(&trial, (struct rv_trial_place){other, 10, 2, 'w'}); /* another file */
    rv_trial_add(&trial,
                 (struct rv_trial_place){file, 11, 60, 'w'}); /* no access there as far as the model knows */
    size_t count;
    struct rv_observed *found = rv_trial_blocks(&trial, &sketch.version, &count);
    assert_int_equal(count, 5);
    assert_int_equal(found[0].block, sketch_block(&sketch, "a"));
    assert_int_equal(found[1].block, sketch_block(&sketch, "b"));
    assert_int_equal(found[2].block, sketch_block(&sketch, "c"));
    assert_int_equal(found[2].thread, 2);
    assert_true(found[3].alone && !found[0].alone);
    assert_int_equal(found[3].block, sketch_block(&sketch, "a"));
    assert_int_equal(found[4].block, sketch_block(&sketch, "d"));
    assert_int_equal(found[4].thread, 60);
    free(found);
    rv_trial_free(&trial);
    sketch_free(&sketch);
}

/* --- bases --- */

static void test_a_base_and_back(void **state) {
    (void)state;
    struct rv_base base = {.name = strdup("main"),
                           .commit = strdup("abc+"),
                           .recorded = 17,
                           .complete = true},
                   back;
    rv_base_add_program(&base, strdup("./a b"), "build-id:00", strdup("no bitcode"));
    rv_base_add_test(&base, strdup("one \"1\""), 0);
    size_t size;
    char *text = rv_base_write(&base, &size), *error = NULL, *id = rv_base_id(&base);
    assert_string_equal(id, "main@abc+");
    if (!rv_base_read(&back, text, size, "b", &error)) fail_msg("%s", error);
    assert_string_equal(back.programs[0].key, "build-id:00");
    assert_string_equal(back.tests[0].name, "one \"1\"");
    assert_true(back.complete && back.recorded == 17);
    free(id);
    free(text);
    rv_base_free(&back);
    rv_base_free(&base);
    static const char wrong[] =
        "ravel-base 1\nname \"m\"\ncommit \"\"\nrecorded 1\ncomplete 1\ntest 0 \"t\"\n";
    assert_false(rv_base_read(&back, wrong, sizeof wrong - 1, "b", &error));
    assert_string_equal(error, "b:6:6: expected a program, below 0");
    free(error);
}

/* --- hunks --- */

static void test_hunks(void **state) {
    (void)state;
    static const char diff[] =
        "diff --git a/src/a.c b/src/a.c\n--- a/src/a.c\n+++ b/src/a.c\n@@ -3 +3,2 @@ int f(void)\n-x\n+y\n+z\n"
        "@@ -20,2 +21,0 @@\n---gone\n-too\ndiff --git a/old.c b/old.c\n--- a/old.c\n+++ /dev/null\n"
        "@@ -1 +0,0 @@\n-all\n";
    uint32_t count;
    struct rv_hunk *hunks = rv_git_read_hunks(diff, &count);
    assert_int_equal(count, 3);
    assert_string_equal(hunks[0].file, "src/a.c");
    assert_int_equal(hunks[0].old_count, 1);
    assert_int_equal(hunks[0].new_count, 2);
    assert_string_equal(hunks[1].text, "@@ -20,2 +21,0 @@\n---gone\n-too\n");
    assert_string_equal(hunks[2].file, "old.c");
    assert_ptr_equal(rv_git_hunk_at(hunks, count, "/home/me/src/a.c", 4, false), &hunks[0]);
    assert_ptr_equal(rv_git_hunk_at(hunks, count, "a.c", 21, true), &hunks[1]);
    assert_null(rv_git_hunk_at(hunks, count, "a.c", 12, false));
    assert_null(rv_git_hunk_at(hunks, count, "b.c", 3, false));
    rv_git_hunks_free(hunks, count);
    hunks = rv_git_read_hunks("@@ nonsense\n@@ -99999999999 +1 @@\n", &count);
    rv_git_hunks_free(hunks, count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_suite_of_tests),
        cmocka_unit_test(test_what_a_suite_must_not_be),
        cmocka_unit_test(test_lines_of_arguments),
        cmocka_unit_test(test_what_ctest_says),
        cmocka_unit_test(test_a_history_and_back),
        cmocka_unit_test(test_damaged_histories),
        cmocka_unit_test(test_blocks_of_places),
        cmocka_unit_test(test_a_base_and_back),
        cmocka_unit_test(test_hunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
