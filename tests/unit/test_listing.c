/* What a test binary says of itself, and what a test tells while it runs: what is read, what is refused and where, and that no
 * input does harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "suite/checking.h"
#include "suite/fields.h"
#include "suite/listing.h"

static void refuses(const char *text, size_t size, const char *expected) {
    struct rv_listing listing = {0};
    char *error = NULL;
    assert_false(rv_listing_read(&listing, text, size, &error));
    assert_non_null(strstr(error, expected));
    free(error);
    rv_listing_free(&listing);
}

#define REFUSES(text, expected) refuses(text, sizeof(text) - 1, expected)

static void test_reads(void **state) {
    (void)state;
    static const char text[] = "test\ta\tdir/a.c\t12\n"
                               "schedule\ta\tone\\ttwo\ta.c\t13\tx ->\\n y \\\\\n"
                               "test\tb\t\t0\n";
    struct rv_listing listing = {0};
    char *error = NULL;
    assert_true(rv_listing_read(&listing, text, sizeof text - 1, &error));
    assert_int_equal(listing.test_count, 2);
    assert_string_equal(listing.tests[0].name, "a");
    assert_string_equal(listing.tests[0].file, "dir/a.c");
    assert_int_equal(listing.tests[0].line, 12);
    assert_int_equal(listing.schedule_count, 1);
    assert_string_equal(listing.schedules[0].label, "one\ttwo");
    assert_string_equal(listing.schedules[0].text, "x ->\n y \\");
    assert_ptr_equal(rv_listing_test(&listing, "b"), &listing.tests[1]);
    assert_null(rv_listing_test(&listing, "c"));
    rv_listing_free(&listing);
}

static void test_refuses(void **state) {
    (void)state;
    REFUSES("test\ta\tb\t1", "line 1 of the list of tests: cut off");
    REFUSES("test\ta\tb\t1\n\n", "line 2 of the list of tests: expected \"test\"");
    REFUSES("test\t\tb\t1\n", "line 1");
    REFUSES("test\ta\tb\t1x\n", "line 1");
    REFUSES("test\ta\tb\t\n", "line 1");
    REFUSES("test\ta\tb\t2147483648\n", "line 1");
    REFUSES("test\ta\\\tb\t1\n", "line 1");
    REFUSES("test\ta\\r\tb\t1\n", "line 1");
    REFUSES("test\ta\0\tb\t1\n", "line 1");
    REFUSES("a\tb\tc\td\te\tf\tg\th\ti\n", "line 1");
}

static void test_names_once(void **state) {
    (void)state;
    struct rv_listing listing = {0};
    rv_listing_add_event(&listing, "put");
    rv_listing_add_event(&listing, "");
    rv_listing_add_event(&listing, "put");
    rv_listing_add_test(&listing, "t");
    rv_listing_add_test(&listing, "t");
    assert_int_equal(listing.event_count, 1);
    assert_int_equal(listing.test_count, 1);
    assert_true(rv_listing_has_event(&listing, "put"));
    assert_false(rv_listing_has_event(&listing, "pu"));
    rv_listing_free(&listing);
}

static void test_most(void **state) {
    (void)state;
    struct rv_listing listing = {0};
    char *text = malloc((size_t)(RV_LISTING_MOST + 1) * 16), *error = NULL;
    size_t size = 0;
    for (int i = 0; i <= RV_LISTING_MOST; i++) size += (size_t)sprintf(text + size, "test\tt%d\t\t1\n", i);
    assert_false(rv_listing_read(&listing, text, size, &error));
    assert_non_null(strstr(error, "expected fewer tests"));
    free(error);
    free(text);
    rv_listing_free(&listing);
}

static void check(struct rv_checking *checking, struct rv_test_result *result, const char *text) {
    *result = (struct rv_test_result){.status = RV_TEST_PASS};
    *checking = (struct rv_checking){.result = result};
    rv_checking_read(checking, text, strlen(text));
}

static void test_checking(void **state) {
    (void)state;
    struct rv_checking checking;
    struct rv_test_result result;
    check(&checking, &result,
          "begin\nevent\t0\tput\nevent\t2\ttake\nthread\t2\ttaker\nevent\t2\ttake\n"
          "violated\t3\t7\ttake\nviolated\t30\t7\tput\nassert\tlater\nend\n");
    assert_true(checking.begun && checking.ended);
    assert_int_equal(checking.damaged, 0);
    assert_int_equal(result.event_count, 3);
    assert_string_equal(result.events[0].thread, "main");
    assert_string_equal(result.events[1].thread, "thread 2");
    assert_string_equal(result.events[2].thread, "taker");
    assert_int_equal(checking.kind, RV_KIND_SCHEDULE);
    assert_string_equal(checking.message, "violated: take happened too early");
    assert_int_equal(checking.at, 3);
    assert_int_equal(checking.length, 7);
    rv_checking_free(&checking);
    rv_test_result_free(&result);
    check(&checking, &result,
          "violated\t5000\t7\ttake\nviolated\t1\nevent\nevent\tx\tput\nwhat\nend\t1\n\nbegin");
    assert_int_equal(checking.kind, RV_KIND_NONE);
    assert_false(checking.begun || checking.ended);
    assert_int_equal(checking.damaged, 7);
    rv_checking_free(&checking);
    rv_test_result_free(&result);
}

/* What one process sends the other arrives; what is damaged does not, and does no harm. */
static void test_result_travels(void **state) {
    (void)state;
    struct rv_test_result result = {.status = RV_TEST_FAIL, .seconds = 0.5, .schedules = 3}, back;
    result.kind = strdup("assert");
    result.message = strdup("a\n\x01\"b");
    rv_test_result_complete(&result);
    rv_test_result_add_event(&result, "main", "put");
    json_t *json = rv_test_result_json(&result);
    char *text = json_dumps(json, JSON_COMPACT);
    size_t size = strlen(text);
    json_decref(json);
    assert_true(rv_test_result_read(&back, text, size));
    assert_int_equal(back.status, RV_TEST_FAIL);
    assert_string_equal(back.message, "a\n\x01\"b");
    assert_int_equal(back.schedules, 3);
    assert_int_equal(back.event_count, 1);
    assert_string_equal(back.events[0].name, "put");
    rv_test_result_free(&back);
    struct rv_rng rng = rv_rng_stream(1, 0);
    for (int i = 0; i < 5000; i++) {
        char *damaged = malloc(size);
        memcpy(damaged, text, size);
        for (int edits = 0; edits < 3; edits++) damaged[rv_rng_below(&rng, size)] = (char)rv_rng_next(&rng);
        rv_test_result_read(&back, damaged, rv_rng_below(&rng, size + 1));
        assert_non_null(back.message);
        rv_test_result_free(&back);
        free(damaged);
    }
    free(text);
    rv_test_result_free(&result);
}

/* Whole texts with some bytes changed. */
static void test_edits(void **state) {
    (void)state;
    static const char text[] =
        "test\ta\ta.c\t12\nschedule\ta\tl\ta.c\t13\tx -> y\nbegin\nthread\t1\tt\nevent\t1\tput\n"
        "violated\t0\t6\ty\nmissing\tx\nleaked\t1\tt\nassert\tq\\n\nend\n";
    struct rv_rng rng = rv_rng_stream(2, 0);
    for (int i = 0; i < 20000; i++) {
        char copy[sizeof text];
        char *error = NULL;
        size_t size = rv_rng_below(&rng, sizeof text);
        memcpy(copy, text, sizeof text);
        for (int edits = 0; edits < 4; edits++)
            copy[rv_rng_below(&rng, sizeof text)] = "\t\n\\0xa"[rv_rng_below(&rng, 6)];
        struct rv_listing listing = {0};
        struct rv_test_result result = {.status = RV_TEST_PASS};
        struct rv_checking checking = {.result = &result};
        if (!rv_listing_read(&listing, copy, size, &error)) assert_non_null(error);
        rv_checking_read(&checking, copy, size);
        free(error);
        rv_listing_free(&listing);
        rv_checking_free(&checking);
        rv_test_result_free(&result);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads), cmocka_unit_test(test_refuses),  cmocka_unit_test(test_names_once),
        cmocka_unit_test(test_most),  cmocka_unit_test(test_checking), cmocka_unit_test(test_result_travels),
        cmocka_unit_test(test_edits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
