#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <ravel.h>

static int counter;

static void *add(void *unused) {
    counter++;
    RAVEL_EVENT(added);
    return unused;
}

RAVEL_SCHEDULE(looks_early, "early", "looked -> added");
RAVEL_TEST(looks_early) {
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    RAVEL_EVENT(looked);
    int seen = __atomic_load_n(&counter, __ATOMIC_SEQ_CST);
    pthread_join(thread, NULL);
    cr_assert(eq(int, counter, 1));
    cr_assert(eq(int, seen, 1));
}
Test(suite, looks_early) { looks_early(); }

RAVEL_TEST(other) { cr_expect(eq(int, counter, 0), "counter of %s", "other"); }
Test(suite, other) { other(); }
