/* Tests as data: the order of calls, what an execution tells, the case with results that are wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "generate/test.h"
#include "generate_api.h"

static void add(struct rv_test *test, uint16_t method, enum rv_phase phase, uint8_t thread) {
    struct rv_case_call call = {.method = method, .phase = (uint8_t)phase, .thread = thread};
    assert_true(rv_test_add(test, &call));
}

static struct rv_test make_test(void) {
    struct rv_test test = {.objects = 1, .threads = 2};
    add(&test, 3, RV_PHASE_AFTER, 0);
    add(&test, 2, RV_PHASE_DURING, 1);
    add(&test, 2, RV_PHASE_DURING, 0);
    add(&test, 2, RV_PHASE_BEFORE, 0);
    return test;
}

static void calls_are_kept_in_order(void **state) {
    (void)state;
    struct rv_test test = make_test();
    assert_int_equal(test.calls[0].phase, RV_PHASE_BEFORE);
    assert_int_equal(test.calls[1].thread, 0);
    assert_int_equal(test.calls[2].thread, 1);
    assert_int_equal(test.calls[3].phase, RV_PHASE_AFTER);
    rv_test_remove(&test, 0);
    assert_int_equal(test.calls[0].thread, 0);
    assert_int_equal(test.count, 3);
    while (test.count < RV_CASE_CALLS) add(&test, 2, RV_PHASE_BEFORE, 0);
    struct rv_case_call one_more = {.method = 2};
    assert_false(rv_test_add(&test, &one_more));
}

static void what_was_told_is_read(void **state) {
    (void)state;
    struct rv_test test = make_test();
    struct rv_history history = {0};
    rv_test_history(&test, &history);
    const unsigned char told[] = {'C', 0, 'R', 0, 1, 0, 7, 'C', 1, 'C', 2, 'R', 2, 0, 0};
    assert_true(rv_test_told(&history, told, sizeof told));
    assert_int_equal(history.calls[0].result.data[0], 7);
    assert_int_equal(history.calls[1].state, RV_CALL_PENDING);
    assert_int_equal(history.calls[2].state, RV_CALL_RETURNED);
    assert_int_equal(history.calls[3].state, RV_CALL_ABSENT);
    rv_history_free(&history);
}

static void what_is_damaged_is_refused(void **state) {
    (void)state;
    struct rv_test test = make_test();
    struct rv_history history = {0};
    rv_test_history(&test, &history);
    const unsigned char no_such_call[] = {'C', 9}, too_long[] = {'C', 0, 'R', 0, 9, 0, 1},
                        twice[] = {'C', 0, 'C', 0};
    const unsigned char not_made[] = {'R', 0, 0, 0}, too_early[] = {'C', 3, 'C', 0};
    assert_false(rv_test_told(&history, no_such_call, sizeof no_such_call));
    assert_false(rv_test_told(&history, too_long, sizeof too_long));
    assert_false(rv_test_told(&history, twice, sizeof twice));
    assert_false(rv_test_told(&history, not_made, sizeof not_made));
    assert_false(rv_test_told(&history, too_early, sizeof too_early));
    rv_history_free(&history);
}

static void a_case_says_how_long_it_is(void **state) {
    (void)state;
    static unsigned char data[RV_CASE_ROOM];
    struct rv_test test = make_test();
    struct rv_history history = {0};
    struct rv_case_header header;
    const unsigned char told[] = {'C', 0,   'R', 0, 1, 0,   7, 'C', 1, 'R', 1, 0, 0, 'C',
                                  2,   'R', 2,   0, 0, 'C', 3, 'R', 3, 2,   0, 1, 2};
    rv_test_history(&test, &history);
    assert_true(rv_test_told(&history, told, sizeof told));
    uint32_t plain = rv_test_encode(&test, 5, NULL, 0, NULL, data);
    assert_int_equal(plain, sizeof header + 5 * sizeof(struct rv_case_call));
    uint32_t size = rv_test_encode(&test, 5, NULL, 0, &history, data);
    memcpy(&header, data, sizeof header);
    assert_int_equal(header.size, size);
    assert_int_equal(header.results, 4 * 16 + 2 * 8);
    uint64_t before;
    memcpy(&before, data + plain + 16 + 8 + 16, sizeof before); /* of call 2: what had returned */
    assert_int_equal(before, 3);
    uint8_t *many = calloc(RV_CASE_ROOM, 4);
    assert_int_equal(rv_test_encode(&test, 5, many, RV_CASE_ROOM, NULL, data), 0);
    free(many);
    rv_history_free(&history);
}

static void a_test_is_told(void **state) {
    (void)state;
    struct rv_api api;
    struct rv_test test = {.objects = 1, .threads = 2};
    make_api(&api);
    add(&test, 3, RV_PHASE_DURING, 1);
    char *text = rv_test_tell(&api, &test, NULL);
    assert_string_equal(text,
                        "  first     the_cache = cache_new()\n  thread 2  cache_copy(the_cache, NULL, 0)\n");
    free(text);
    rv_api_free(&api);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_kept_in_order),
        cmocka_unit_test(what_was_told_is_read),
        cmocka_unit_test(what_is_damaged_is_refused),
        cmocka_unit_test(a_case_says_how_long_it_is),
        cmocka_unit_test(a_test_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
