/* Barriers, semaphores, once and C++ guards under many schedules: see test_sync_blocking.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <string.h>

#include "fake_core.h"

int __cxa_guard_acquire(uint64_t *guard);
void __cxa_guard_release(uint64_t *guard);
void __cxa_guard_abort(uint64_t *guard);

enum { SEEDS = 200, ROUNDS = 3, PARTIES = 3 };
static unsigned seen[4], deadlocks;

static void explore(void (*body)(void *)) {
    memset(seen, 0, sizeof seen);
    deadlocks = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct fake_outcome outcome = fake_run(seed, body, NULL);
        deadlocks += outcome.kind == RV_KIND_DEADLOCK;
        if (outcome.kind != RV_KIND_DEADLOCK && outcome.kind != RV_KIND_NONE)
            fail_msg("seed %d: %s: %s", (int)seed, rv_kind_names[outcome.kind], outcome.message);
    }
}
static pthread_t start(void *(*body)(void *), void *argument) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, argument);
    return thread;
}
static void *join(pthread_t thread) {
    void *result;
    assert_int_equal(pthread_join(thread, &result), 0);
    return result;
}

/* Barriers. */

static pthread_barrier_t barrier;
static volatile int arrived[ROUNDS], serials[ROUNDS];
static void *meet(void *unused) {
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        arrived[round]++;
        int result = pthread_barrier_wait(&barrier);
        assert_int_equal(arrived[round], PARTIES);
        assert_true(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
        serials[round] += result == PTHREAD_BARRIER_SERIAL_THREAD;
        if (round == ROUNDS - 1 && result) { /* whoever is last may take it away */
            pthread_barrier_destroy(&barrier);
            memset(&barrier, 0xff, sizeof barrier);
        }
    }
    return NULL;
}
static void meetings(void *unused) {
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) arrived[round] = serials[round] = 0;
    pthread_barrier_init(&barrier, NULL, PARTIES);
    pthread_t one = start(meet, NULL), two = start(meet, NULL);
    meet(NULL);
    join(one), join(two);
    for (int round = 0; round < ROUNDS; round++) assert_int_equal(serials[round], 1);
}
static void test_nobody_passes_a_barrier_early(void **state) {
    (void)state;
    explore(meetings);
    assert_int_equal(deadlocks, 0);
}
static void too_few(void *unused) {
    (void)unused;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_barrier_wait(&barrier);
}
static void test_a_barrier_waits_for_all(void **state) {
    (void)state;
    explore(too_few);
    assert_int_equal(deadlocks, SEEDS);
}

/* Semaphores. */

static sem_t items, slots;
static volatile int stored, taken;
static void *take_items(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sem_wait(&items), 0);
        assert_true(stored > 0 && stored <= 2);
        stored--;
        taken++;
        sem_post(&slots);
    }
    return NULL;
}
static void bounded_queue(void *unused) {
    (void)unused;
    stored = taken = 0;
    sem_init(&items, 0, 0);
    sem_init(&slots, 0, 2);
    pthread_t one = start(take_items, NULL), two = start(take_items, NULL);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(sem_wait(&slots), 0);
        assert_true(++stored <= 2);
        sem_post(&items);
    }
    join(one), join(two);
    assert_int_equal(taken, 6);
    sem_destroy(&items);
    sem_destroy(&slots);
}
static void test_semaphores_count(void **state) {
    (void)state;
    explore(bounded_queue);
    assert_int_equal(deadlocks, 0);
}

static void *interruptible(void *unused) {
    (void)unused;
    struct timespec later = fake_after(CLOCK_REALTIME, INT64_C(1000000000));
    errno = 0;
    int result = sem_timedwait(&items, &later);
    assert_true(result == 0 || (result == -1 && (errno == EINTR || errno == ETIMEDOUT)));
    seen[result == 0 ? 0 : errno == EINTR ? 1 : 2]++;
    return NULL;
}
static void interrupt(void *unused) {
    (void)unused;
    sem_init(&items, 0, 0);
    pthread_t thread = start(interruptible, NULL);
    sched_yield();
    fake_interrupt(thread);
    sched_yield();
    sem_post(&items);
    join(thread);
}
static void test_a_semaphore_wait_ends_in_each_way(void **state) {
    (void)state;
    explore(interrupt);
    assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] > 0 && deadlocks == 0);
}

static void *wait_for_item(void *unused) {
    (void)unused;
    return sem_wait(&items) ? &items : NULL;
}
static void cancel_wait(void *unused) {
    (void)unused;
    sem_init(&items, 0, 0);
    pthread_t thread = start(wait_for_item, NULL);
    sched_yield();
    pthread_cancel(thread);
    assert_ptr_equal(join(thread), PTHREAD_CANCELED);
}
static void test_a_semaphore_wait_can_be_cancelled(void **state) {
    (void)state;
    explore(cancel_wait);
    assert_int_equal(deadlocks, 0);
}

/* Once. */

static pthread_once_t once;
static volatile int runs, finished;
static void initialise(void) {
    runs++;
    sched_yield();
    finished = 1;
}
static void *call_once_and_check(void *unused) {
    (void)unused;
    assert_int_equal(pthread_once(&once, initialise), 0);
    assert_true(runs == 1 && finished == 1);
    return NULL;
}
static void once_from_three(void *unused) {
    (void)unused;
    once = PTHREAD_ONCE_INIT;
    runs = finished = 0;
    pthread_t one = start(call_once_and_check, NULL), two = start(call_once_and_check, NULL);
    call_once_and_check(NULL);
    join(one), join(two);
}
static void test_once_is_once_and_waited_for(void **state) {
    (void)state;
    explore(once_from_three);
    assert_int_equal(deadlocks, 0);
}

static void initialise_with_wait(void) {
    runs++;
    if (runs == 1) sem_wait(&items);
}
static void *once_with_wait(void *unused) {
    (void)unused;
    pthread_once(&once, initialise_with_wait);
    return NULL;
}
static void cancel_in_once(void *unused) {
    (void)unused;
    once = PTHREAD_ONCE_INIT;
    runs = 0;
    sem_init(&items, 0, 0);
    pthread_t one = start(once_with_wait, NULL);
    while (runs == 0) sched_yield();
    pthread_t two = start(once_with_wait, NULL);
    sched_yield();
    pthread_cancel(one);
    assert_ptr_equal(join(one), PTHREAD_CANCELED);
    assert_null(join(two));
    assert_int_equal(runs, 2);
}
static void test_a_cancelled_initialiser_is_called_again(void **state) {
    (void)state;
    explore(cancel_in_once);
    assert_int_equal(deadlocks, 0);
}

static void initialise_recursively(void) { pthread_once(&once, initialise_recursively); }
static void recursive_once(void *unused) {
    (void)unused;
    once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialise_recursively);
}
static void test_recursive_once_is_a_deadlock(void **state) {
    (void)state;
    explore(recursive_once);
    assert_int_equal(deadlocks, SEEDS);
}

/* Guards. */

static uint64_t guard;
static void *use_static(void *unused) {
    (void)unused;
    if (!*(char *)&guard && __cxa_guard_acquire(&guard)) {
        runs++;
        sched_yield();
        if (runs == 1) {
            __cxa_guard_abort(&guard); /* the first constructor throws */
            return NULL;
        }
        finished++;
        __cxa_guard_release(&guard);
    }
    assert_int_equal(finished, 1);
    return NULL;
}
static void guarded(void *unused) {
    (void)unused;
    guard = 0;
    runs = finished = 0;
    pthread_t one = start(use_static, NULL), two = start(use_static, NULL);
    use_static(NULL);
    join(one), join(two);
    assert_int_equal(runs, 2);
    assert_int_equal(*(char *)&guard, 1);
    assert_int_equal(__cxa_guard_acquire(&guard), 0);
}
static void test_a_guard_lets_one_in_until_it_succeeds(void **state) {
    (void)state;
    explore(guarded);
    assert_int_equal(deadlocks, 0);
}
static void guard_twice(void *unused) {
    (void)unused;
    guard = 0;
    assert_int_equal(__cxa_guard_acquire(&guard), 1);
    __cxa_guard_acquire(&guard);
}
static void test_a_recursive_guard_is_a_deadlock(void **state) {
    (void)state;
    explore(guard_twice);
    assert_int_equal(deadlocks, SEEDS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_passes_a_barrier_early),
        cmocka_unit_test(test_a_barrier_waits_for_all),
        cmocka_unit_test(test_semaphores_count),
        cmocka_unit_test(test_a_semaphore_wait_ends_in_each_way),
        cmocka_unit_test(test_a_semaphore_wait_can_be_cancelled),
        cmocka_unit_test(test_once_is_once_and_waited_for),
        cmocka_unit_test(test_a_cancelled_initialiser_is_called_again),
        cmocka_unit_test(test_recursive_once_is_a_deadlock),
        cmocka_unit_test(test_a_guard_lets_one_in_until_it_succeeds),
        cmocka_unit_test(test_a_recursive_guard_is_a_deadlock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
