#include "future.h"

#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static future_t *future;

typedef struct {
    int error;
    long value;
} outcome_t;

static void millisleep(long ms) {
    struct timespec ts = {ms / 1000, ms % 1000 * 1000000L};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL); //@ keep
}
//@ sleep millisleep

static void *wait_for_it(void *arg) {
    outcome_t *outcome = arg;
    //@ event startingWait
    outcome->error = future_get(future, &outcome->value);
    //@ event finishedWait
    return NULL;
}

static void *set_it(void *arg) {
    millisleep(60);
    //@ event startingSet
    future_set(future, *(long *)arg);
    //@ event finishedSet
    return NULL;
}

//@ schedule [startingWait] -> startingSetMain
START_TEST(test_get_waits_for_set) {
    pthread_t t;
    outcome_t outcome = {-1, 0};

    future = future_create();
    pthread_create(&t, NULL, wait_for_it, &outcome);
    millisleep(60);
    //@ event startingSetMain
    ck_assert_int_eq(outcome.error, -1);
    ck_assert(future_set(future, 17));
    pthread_join(t, NULL);
    ck_assert_int_eq(outcome.error, 0);
    ck_assert_int_eq(outcome.value, 17);
    future_unref(future);
}
END_TEST

//@ schedule [startingGet] -> startingSet
START_TEST(test_main_waits) {
    pthread_t t;
    long promised = 5, value = 0;

    future = future_create();
    pthread_create(&t, NULL, set_it, &promised);
    //@ event startingGet
    ck_assert_int_eq(future_get(future, &value), 0);
    ck_assert_int_eq(value, 5);
    pthread_join(t, NULL);
    future_unref(future);
}
END_TEST

//@ schedule [startingWait#1] -> startingFail, [startingWait#2] -> startingFail
START_TEST(test_failure_reaches_all) {
    pthread_t t[2];
    outcome_t outcome[2] = {{-1, 0}, {-1, 0}};

    future = future_create();
    for (int i = 0; i < 2; i++) {
        pthread_create(&t[i], NULL, wait_for_it, &outcome[i]);
    }
    millisleep(80);
    //@ event startingFail
    ck_assert(future_fail(future, EIO));
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], NULL);
        ck_assert_int_eq(outcome[i].error, EIO);
    }
    future_unref(future);
}
END_TEST

static long told = -1;

static void tell(int error, long value, void *user) {
    (void)error;
    (void)user;
    told = value;
}

// Attached before: called by the thread that sets it.
//@ schedule finishedThen -> startingSet, finishedSet -> startingToldCheck
START_TEST(test_callback_attached_before) {
    pthread_t t;
    long promised = 8;

    told = -1;
    future = future_create();
    pthread_create(&t, NULL, set_it, &promised);
    ck_assert(future_then(future, tell, NULL));
    ck_assert_int_eq(told, -1);
    //@ event finishedThen
    millisleep(120);
    //@ event startingToldCheck
    ck_assert_int_eq(told, 8);
    pthread_join(t, NULL);
    future_unref(future);
}
END_TEST

// Attached after: called at once.
//@ schedule finishedSet -> startingThen
START_TEST(test_callback_attached_after) {
    pthread_t t;
    long promised = 9;

    told = -1;
    future = future_create();
    pthread_create(&t, NULL, set_it, &promised);
    millisleep(120);
    //@ event startingThen
    ck_assert(future_is_done(future));
    ck_assert(future_then(future, tell, NULL));
    ck_assert_int_eq(told, 9);
    pthread_join(t, NULL);
    future_unref(future);
}
END_TEST

// The first one wins.
//@ schedule finishedMainSet -> startingSet
START_TEST(test_second_set_is_refused) {
    pthread_t t;
    long late = 2, value = 0;

    future = future_create();
    pthread_create(&t, NULL, set_it, &late);
    ck_assert(future_set(future, 1));
    //@ event finishedMainSet
    pthread_join(t, NULL);
    ck_assert_int_eq(future_get(future, &value), 0);
    ck_assert_int_eq(value, 1);
    future_unref(future);
}
END_TEST

//@ schedule
START_TEST(test_get_within_times_out) {
    long value = 3;

    future = future_create();
    ck_assert_int_eq(future_get_within(future, &value, 20), ETIMEDOUT);
    ck_assert_int_eq(value, 3);
    millisleep(10); //@ keep
    future_set(future, 4);
    ck_assert_int_eq(future_get_within(future, &value, 20), 0);
    ck_assert_int_eq(value, 4);
    future_unref(future);
}
END_TEST

int main(int argc, char **argv) {
    const struct {
        const char *name;
        const TTest *test;
    } tests[] = {
        {"test_get_waits_for_set", test_get_waits_for_set},
        {"test_main_waits", test_main_waits},
        {"test_failure_reaches_all", test_failure_reaches_all},
        {"test_callback_attached_before", test_callback_attached_before},
        {"test_callback_attached_after", test_callback_attached_after},
        {"test_second_set_is_refused", test_second_set_is_refused},
        {"test_get_within_times_out", test_get_within_times_out},
    };
    Suite *suite = suite_create("future");
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        TCase *tcase = tcase_create(tests[i].name);
        tcase_add_test(tcase, tests[i].test);
        suite_add_tcase(suite, tcase);
    }
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run(runner, NULL, argc > 1 ? argv[1] : NULL, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
