#include <check.h>
#include <pthread.h>
#include <ravel.h>

static int counter;

static void *add(void *unused) {
    counter++;
    RAVEL_EVENT(added);
    return unused;
}

RAVEL_SCHEDULE(looks_early, "early", "looked -> added");
START_TEST(looks_early) {
    RAVEL_TEST_SCOPE(looks_early);
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    RAVEL_EVENT(looked);
    int seen = __atomic_load_n(&counter, __ATOMIC_SEQ_CST);
    pthread_join(thread, NULL);
    ck_assert_int_eq(seen, 1);
}
END_TEST

START_TEST(other) {
    RAVEL_TEST_SCOPE(other);
    ck_assert_int_eq(counter, 0);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("suite");
    TCase *core = tcase_create("core");
    tcase_add_test(core, looks_early);
    tcase_add_test(core, other);
    suite_add_tcase(suite, core);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
