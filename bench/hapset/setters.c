/* Many setters, one checker: the scaling subject for strategies that must not drown in threads.
 *
 * After the "reorder" programs of the SCTBench collection. Every setter writes `a`, then `b`, without a lock; the
 * checker reads `a`, then `b`, and expects both or none to be set.
 *
 * Bug (assert in checker): the checker must read `a` after the first setter has written it, and `b` before any setter
 * has written that: all threads that have begun stand between their two writes while the checker runs. One preemption
 * of one setter is enough, but a schedule that lets n threads run in turns passes the place within few steps.
 *
 * Parameters: SETTERS (1 to 100; default 3).
 */
#include "subject.h"
#include <assert.h>

enum { MAX_SETTERS = 100, SET_A = 1, SET_B = -1 };

static struct pair {
    atomic_int a, b; /* one thing to whoever reads them, and no lock that makes them one */
} pair;

static atomic_int setters_left;

static void pair_set(struct pair *p) {
    atomic_store(&p->a, SET_A);
    atomic_store(&p->b, SET_B);
}

static void *setter(void *unused) {
    (void)unused;
    pair_set(&pair);
    atomic_fetch_sub(&setters_left, 1);
    return NULL;
}

static void *checker(void *unused) {
    (void)unused;
    slow_outside();
    int a = atomic_load(&pair.a);
    int b = atomic_load(&pair.b);
    /* a = 0 and b set is no error here: the pair was set after `a` was read. */
    assert(!(a == SET_A && b == 0) && "a pair is set as a whole");
    return NULL;
}

int main(int argc, char **argv) {
    int setters = size_argument(argc, argv, 1, 3, 1, MAX_SETTERS);
    pthread_t threads[MAX_SETTERS], checker_thread;
    atomic_store(&setters_left, setters);
    for (int i = 0; i < setters; i++) pthread_create(&threads[i], NULL, setter, NULL);
    pthread_create(&checker_thread, NULL, checker, NULL);
    for (int i = 0; i < setters; i++) pthread_join(threads[i], NULL);
    pthread_join(checker_thread, NULL);
    assert(atomic_load(&setters_left) == 0);
    puts("checked");
    return 0;
}
