/* What a schedule is for: it brings about, in the first execution, what otherwise happens now and then. And tests that fail on
 * their own.
 *
 * lost: first_read -> second_begin, second_end -> first_write => assert: lost: counter == 2 does not hold: counter is 1
 * lost: first_end -> second_begin => ok
 * crash: ready -> go => segv: write through a null pointer
 * stuck: one_locked -> two_locks, two_locked -> one_locks => deadlock: all 3 threads wait
 * alone: b -> a => schedule: infeasible: event a in thread 0 .main. waits for b .has not happened
 * alone: a -> b => ok
 * alone: a.b -> b.c, a -> a.b => schedule: never happened: .*b.c
 * fail: => assert: fail: seven is 7 .thread 0, main
 */
#include <pthread.h>
#include <ravel.h>

static int counter;
static int *volatile nowhere;

static int load(void) { return __atomic_load_n(&counter, __ATOMIC_SEQ_CST); }
static void store(int value) { __atomic_store_n(&counter, value, __ATOMIC_SEQ_CST); }

static void *first(void *unused) {
    int value = load();
    RAVEL_EVENT(first_read);
    RAVEL_EVENT(first_write);
    store(value + 1);
    RAVEL_EVENT(first_end);
    return unused;
}

static void *second(void *unused) {
    RAVEL_EVENT(second_begin);
    store(load() + 1);
    RAVEL_EVENT(second_end);
    return unused;
}

static void run(void *(*one)(void *), void *(*two)(void *)) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

RAVEL_TEST(lost) {
    run(first, second);
    RAVEL_ASSERT_EQ(counter, 2);
}

static void *crashes(void *unused) {
    RAVEL_EVENT(go);
    *nowhere = 1;
    return unused;
}

RAVEL_TEST(crash) {
    pthread_t thread;
    pthread_create(&thread, NULL, crashes, NULL);
    RAVEL_EVENT(ready);
    pthread_join(thread, NULL);
}

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *unused) {
    pthread_mutex_lock(&a);
    RAVEL_EVENT(one_locked);
    RAVEL_EVENT(one_locks);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *two(void *unused) {
    RAVEL_EVENT(two_locks);
    pthread_mutex_lock(&b);
    RAVEL_EVENT(two_locked);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

RAVEL_TEST(stuck) { run(one, two); }

RAVEL_TEST(alone) {
    RAVEL_EVENT(a);
    RAVEL_EVENT(a.b);
    RAVEL_EVENT(b);
}

RAVEL_TEST(fail) { RAVEL_FAIL("%s is %d", "seven", 7); }

RAVEL_MAIN
