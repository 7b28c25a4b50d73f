#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ravel.h>

static int counter;

static void *add(void *unused) {
    counter++;
    RAVEL_EVENT(added);
    return unused;
}

RAVEL_SCHEDULE(looks_early, "early", "looked -> added");
static void looks_early(void **state) {
    RAVEL_TEST_SCOPE(looks_early);
    pthread_t thread;
    (void)state;
    pthread_create(&thread, NULL, add, NULL);
    RAVEL_EVENT(looked);
    int seen = __atomic_load_n(&counter, __ATOMIC_SEQ_CST);
    pthread_join(thread, NULL);
    assert_int_equal(seen, 1);
}

static void other(void **state) {
    RAVEL_TEST_SCOPE(other);
    (void)state;
    assert_int_equal(counter, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(looks_early), cmocka_unit_test(other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
