/* Synchronisation under many schedules: what must hold in all of them, what must be possible in some. A body
 * reports through `seen` which of several allowed outcomes it had; a property of every schedule is an
 * assertion in the body (cmocka's assertions leave by longjmp and so fail the test at once).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <threads.h>

#include "fake_core.h"

enum { SEEDS = 200, OUTCOMES = 8 };
static unsigned seen[OUTCOMES]; /* schedules with each outcome, set by bodies: seen[n]++ */
static unsigned deadlocks;
static struct fake_outcome last_deadlock;

static void explore(void (*body)(void *), struct fake_options options) {
    memset(seen, 0, sizeof seen);
    deadlocks = 0;
    fake_options = options;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct fake_outcome outcome = fake_run(seed, body, NULL);
        if (outcome.kind == RV_KIND_DEADLOCK) {
            deadlocks++;
            last_deadlock = outcome;
        } else if (outcome.kind != RV_KIND_NONE) {
            fail_msg("seed %d: %s: %s", (int)seed, rv_kind_names[outcome.kind], outcome.message);
        } else {
            assert_int_equal(outcome.held, 0);
        }
    }
}
#define EXPLORE(body, ...) explore(body, (struct fake_options){__VA_ARGS__})

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

static pthread_mutex_t mutex, other_mutex;
static pthread_cond_t cond;
static volatile int inside, count, ready, released;

static void reset(void) {
    inside = count = ready = released = 0;
    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_init(&other_mutex, NULL);
    pthread_cond_init(&cond, NULL);
}

/* Mutexes. */

static void critical(void) {
    assert_int_equal(inside++, 0);
    sched_yield();
    inside--;
    count++;
}
static void *lock_three_times(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_mutex_lock(&mutex), 0);
        critical();
        assert_int_equal(pthread_mutex_unlock(&mutex), 0);
    }
    return NULL;
}
static void mutual_exclusion(void *unused) {
    (void)unused;
    reset();
    pthread_t one = start(lock_three_times, NULL), two = start(lock_three_times, NULL);
    lock_three_times(NULL);
    join(one), join(two);
    assert_int_equal(count, 9);
    pthread_mutex_destroy(&mutex);
}
static void test_one_thread_at_a_time_holds_a_mutex(void **state) {
    (void)state;
    EXPLORE(mutual_exclusion, 0);
    assert_int_equal(deadlocks, 0);
}

static void relock(void *unused) {
    (void)unused;
    reset();
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
}
static void test_relock_is_a_deadlock_with_oneself(void **state) {
    (void)state;
    EXPLORE(relock, 0);
    assert_int_equal(deadlocks, SEEDS);
    assert_int_equal(last_deadlock.owner[0], 0);
}

static void *lock_other_first(void *unused) {
    (void)unused;
    pthread_mutex_lock(&other_mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&other_mutex);
    return NULL;
}
static void crossed_order(void *unused) {
    (void)unused;
    reset();
    pthread_t thread = start(lock_other_first, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&other_mutex);
    pthread_mutex_unlock(&other_mutex);
    pthread_mutex_unlock(&mutex);
    join(thread);
    seen[0]++;
}
static void test_crossed_lock_order_can_deadlock(void **state) {
    (void)state;
    EXPLORE(crossed_order, 0);
    assert_true(seen[0] > 0 && deadlocks > 0);
    assert_int_equal(last_deadlock.owner[0], 1);
    assert_int_equal(last_deadlock.owner[1], 0);
}

static void *timed_locker(void *unused) {
    (void)unused;
    struct timespec soon = fake_after(CLOCK_REALTIME, 1000000);
    int64_t deadline = rv.now + 1000000;
    int result = pthread_mutex_timedlock(&mutex, &soon);
    if (result == ETIMEDOUT) {
        assert_true(released == 0 && rv.now >= deadline);
        seen[1]++;
        return NULL;
    }
    assert_int_equal(result, 0);
    seen[0]++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}
static void timed_lock(void *unused) {
    (void)unused;
    reset();
    pthread_mutex_lock(&mutex);
    pthread_t thread = start(timed_locker, NULL);
    sched_yield();
    pthread_mutex_unlock(&mutex);
    released = 1;
    join(thread);
}
static void test_timed_lock_ends_in_time_or_with_the_lock(void **state) {
    (void)state;
    EXPLORE(timed_lock, 0);
    assert_true(seen[0] > 0 && seen[1] > 0 && deadlocks == 0);
    EXPLORE(timed_lock, .strict_time = true);
    assert_true(seen[0] == SEEDS && seen[1] == 0 && deadlocks == 0);
}

static void *far_locker(void *unused) {
    (void)unused;
    const struct timespec never = {.tv_sec = INT64_MAX, .tv_nsec = 1};
    assert_int_equal(pthread_mutex_timedlock(&mutex, &never), 0);
    return (void *)(intptr_t)pthread_mutex_unlock(&mutex);
}
static void far_deadline(void *unused) {
    (void)unused;
    reset();
    pthread_mutex_lock(&mutex);
    pthread_t thread = start(far_locker, NULL);
    sched_yield();
    pthread_mutex_unlock(&mutex);
    assert_null(join(thread));
}
static void test_a_deadline_beyond_all_time_does_not_overflow(void **state) {
    (void)state;
    EXPLORE(far_deadline, .strict_time = true);
    assert_int_equal(deadlocks, 0);
}

static void *die_with_robust(void *unused) {
    (void)unused;
    int result = pthread_mutex_lock(&mutex);
    if (result == EOWNERDEAD) pthread_mutex_consistent(&mutex);
    seen[result == EOWNERDEAD]++;
    return NULL;
}
static void robust_waiters(void *unused) {
    (void)unused;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_t one = start(die_with_robust, NULL), two = start(die_with_robust, NULL);
    join(one), join(two);
    assert_int_equal(pthread_mutex_trylock(&mutex), EOWNERDEAD);
    assert_int_equal(pthread_mutex_unlock(&mutex), 0);
    assert_int_equal(pthread_mutex_lock(&mutex), ENOTRECOVERABLE);
}
static void test_waiters_for_a_robust_mutex_learn_of_a_death(void **state) {
    (void)state;
    EXPLORE(robust_waiters, 0);
    assert_true(seen[0] == SEEDS && seen[1] == SEEDS && deadlocks == 0);
}

/* Condition variables. */

static void *wait_until_ready(void *unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
    while (!ready) assert_int_equal(pthread_cond_wait(&cond, &mutex), 0);
    critical();
    pthread_mutex_unlock(&mutex);
    return NULL;
}
static void set_ready_and_destroy(void *unused) {
    (void)unused;
    reset();
    pthread_t one = start(wait_until_ready, NULL), two = start(wait_until_ready, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_broadcast(&cond);
    pthread_cond_destroy(&cond); /* nobody waits any more, nobody comes */
    memset(&cond, 0xff, sizeof cond);
    pthread_mutex_unlock(&mutex);
    join(one), join(two);
    assert_int_equal(count, 2);
}
static void test_broadcast_wakes_all_and_frees_the_variable(void **state) {
    (void)state;
    EXPLORE(set_ready_and_destroy, 0);
    assert_int_equal(deadlocks, 0);
    EXPLORE(set_ready_and_destroy, .spurious = true);
    assert_int_equal(deadlocks, 0);
}

static void *wait_once(void *unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    return NULL;
}
static void signal_unconditionally(void *unused) {
    (void)unused;
    reset();
    pthread_t thread = start(wait_once, NULL);
    pthread_cond_signal(&cond);
    join(thread);
    seen[0]++;
}
static void test_a_signal_without_waiters_is_lost(void **state) {
    (void)state;
    EXPLORE(signal_unconditionally, 0);
    assert_true(seen[0] > 0 && deadlocks > 0);
}
static void no_signal(void *unused) {
    (void)unused;
    reset();
    wait_once(NULL);
    seen[0]++;
}
static void test_spurious_wakeups_only_when_asked_for(void **state) {
    (void)state;
    EXPLORE(no_signal, 0);
    assert_int_equal(deadlocks, SEEDS);
    EXPLORE(no_signal, .spurious = true);
    assert_true(seen[0] > 0 && deadlocks > 0);
}

static int order[3];
static volatile int arrivals, returns; /* gcc believes that sched_yield changes no variable of this file */
static void *wait_in_order(void *argument) {
    pthread_mutex_lock(&mutex);
    order[arrivals++] = *(int *)argument;
    pthread_cond_wait(&cond, &mutex);
    if (returns++ == 0)
        for (int i = 0; i < 3; i++)
            if (order[i] == *(int *)argument) seen[i]++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}
static void await_arrivals(int wanted) {
    pthread_mutex_lock(&mutex);
    while (arrivals < wanted) {
        pthread_mutex_unlock(&mutex);
        sched_yield();
        pthread_mutex_lock(&mutex);
    }
    pthread_mutex_unlock(&mutex);
}
static void signal_one_of_three(void *unused) {
    (void)unused;
    static int names[3] = {0, 1, 2};
    reset();
    arrivals = returns = 0;
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) threads[i] = start(wait_in_order, &names[i]);
    await_arrivals(3);
    for (int i = 0; i < 3; i++) {
        pthread_cond_signal(&cond);
        while (returns <= i) sched_yield();
        pthread_mutex_lock(&mutex);
        assert_int_equal(returns, i + 1);
        pthread_mutex_unlock(&mutex);
    }
    for (int i = 0; i < 3; i++) join(threads[i]);
}
static void test_a_signal_wakes_one_whichever(void **state) {
    (void)state;
    EXPLORE(signal_one_of_three, 0);
    assert_true(deadlocks == 0 && seen[0] > 20 && seen[1] > 20 && seen[2] > 20);
    EXPLORE(signal_one_of_three, .first_choice = true);
    assert_int_equal(seen[0], SEEDS); /* the longest waiting */
}

static void *timed_waiter(void *argument) {
    clockid_t clock = *(clockid_t *)argument;
    pthread_mutex_lock(&mutex);
    struct timespec soon = fake_after(clock, 500);
    int64_t deadline = rv.now + 500;
    int result = pthread_cond_timedwait(&cond, &mutex, &soon);
    critical(); /* holds the mutex whatever the result */
    assert_true(result == 0 || (result == ETIMEDOUT && rv.now >= deadline && rv.now < deadline + 500));
    seen[result == ETIMEDOUT]++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}
static void timed_wait_on(clockid_t clock) {
    reset();
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, clock);
    pthread_cond_init(&cond, &attributes);
    pthread_t thread = start(timed_waiter, &clock);
    lock_three_times(NULL);
    pthread_cond_signal(&cond);
    join(thread);
}
static void timed_wait_realtime(void *unused) {
    (void)unused;
    timed_wait_on(CLOCK_REALTIME);
}
static void timed_wait_monotonic(void *unused) {
    (void)unused;
    timed_wait_on(CLOCK_MONOTONIC);
}
static void test_timed_wait_ends_in_time_of_its_clock(void **state) {
    (void)state;
    EXPLORE(timed_wait_realtime, 0);
    assert_true(seen[0] > 0 && seen[1] > 0 && deadlocks == 0);
    EXPLORE(timed_wait_monotonic, 0);
    assert_true(seen[0] > 0 && seen[1] > 0 && deadlocks == 0);
}

static void unlock_in_cleanup(int *unused) {
    (void)unused;
    assert_int_equal(mutex.__data.__owner, (int)rv_self()->id + 1);
    pthread_mutex_unlock(&mutex);
}
static void *wait_with_cleanup(void *unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
    int guard __attribute__((cleanup(unlock_in_cleanup))) = 0;
    (void)guard;
    arrivals++;
    pthread_cond_wait(&cond, &mutex);
    return NULL;
}
static void cancel_one_of_two(void *unused) {
    (void)unused;
    reset();
    arrivals = 0;
    pthread_t one = start(wait_with_cleanup, NULL), two = start(wait_with_cleanup, NULL);
    await_arrivals(2);
    pthread_cond_signal(&cond);
    pthread_cancel(one);
    bool cancelled = join(one) == PTHREAD_CANCELED;
    /* The signal woke one of them. If it was not the first, it must have been the second. */
    if (!cancelled) pthread_cond_signal(&cond);
    assert_null(join(two));
    seen[cancelled]++;
}
static void test_cancelled_wait_returns_the_mutex_and_takes_no_signal(void **state) {
    (void)state;
    EXPLORE(cancel_one_of_two, 0);
    assert_true(seen[0] > 0 && seen[1] > 0 && deadlocks == 0);
}

/* Read-write locks and spinlocks. */

static pthread_rwlock_t rwlock;
static volatile int readers;
static void *read_and_write(void *unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_rwlock_rdlock(&rwlock), 0);
        assert_int_equal(inside, 0);
        readers++;
        sched_yield();
        if (readers > 1) seen[0]++;
        readers--;
        assert_int_equal(pthread_rwlock_unlock(&rwlock), 0);
        assert_int_equal(pthread_rwlock_wrlock(&rwlock), 0);
        assert_int_equal(readers, 0);
        critical();
        assert_int_equal(pthread_rwlock_unlock(&rwlock), 0);
    }
    return NULL;
}
static void readers_and_writers(void *unused) {
    (void)unused;
    reset();
    readers = 0;
    pthread_t one = start(read_and_write, NULL), two = start(read_and_write, NULL);
    read_and_write(NULL);
    join(one), join(two);
    assert_int_equal(count, 6);
}
static void init_rwlock(int kind) {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, kind);
    pthread_rwlock_init(&rwlock, &attributes);
}
static void rwlock_default(void *unused) {
    init_rwlock(PTHREAD_RWLOCK_PREFER_READER_NP);
    readers_and_writers(unused);
}
static void rwlock_writers_first(void *unused) {
    init_rwlock(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    readers_and_writers(unused);
}
static void test_readers_together_writers_alone(void **state) {
    (void)state;
    EXPLORE(rwlock_default, 0);
    assert_true(seen[0] > 0 && deadlocks == 0);
    EXPLORE(rwlock_writers_first, 0);
    assert_true(seen[0] > 0 && deadlocks == 0);
}

static void *write_once(void *unused) {
    (void)unused;
    pthread_rwlock_wrlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    return NULL;
}
static void read_twice(int kind) {
    init_rwlock(kind);
    pthread_rwlock_rdlock(&rwlock);
    pthread_t thread = start(write_once, NULL);
    sched_yield();
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    join(thread);
    seen[0]++;
}
static void read_twice_default(void *unused) {
    (void)unused;
    read_twice(PTHREAD_RWLOCK_PREFER_READER_NP);
}
static void read_twice_writers_first(void *unused) {
    (void)unused;
    read_twice(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
}
static void test_recursive_reading_behind_a_waiting_writer(void **state) {
    (void)state;
    EXPLORE(read_twice_default, 0);
    assert_int_equal(seen[0], SEEDS);
    EXPLORE(read_twice_writers_first, 0);
    assert_true(seen[0] > 0 && deadlocks > 0);
}

static void *timed_writer(void *unused) {
    (void)unused;
    struct timespec soon = fake_after(CLOCK_MONOTONIC, 100);
    int result = pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &soon);
    seen[result == ETIMEDOUT]++;
    if (result == 0) pthread_rwlock_unlock(&rwlock);
    return NULL;
}
static void writer_gives_up(void *unused) {
    (void)unused;
    init_rwlock(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_rdlock(&rwlock);
    pthread_t thread = start(timed_writer, NULL);
    pthread_rwlock_rdlock(&rwlock); /* waits behind the writer at most until its time is up */
    pthread_rwlock_unlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    join(thread);
    assert_int_equal(rwlock.__data.__writers, 0);
}
static void test_a_writer_out_of_time_lets_readers_in(void **state) {
    (void)state;
    EXPLORE(writer_gives_up, 0);
    assert_true(seen[0] > 0 && seen[1] > 0 && deadlocks == 0);
}

static void upgrade(void *unused) {
    (void)unused;
    init_rwlock(PTHREAD_RWLOCK_DEFAULT_NP);
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_wrlock(&rwlock);
}
static void test_upgrade_is_a_deadlock(void **state) {
    (void)state;
    EXPLORE(upgrade, 0);
    assert_int_equal(deadlocks, SEEDS);
    assert_int_equal(last_deadlock.owner[0], 0);
}

static pthread_spinlock_t spinlock;
static void *spin_three_times(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        pthread_spin_lock(&spinlock);
        critical();
        pthread_spin_unlock(&spinlock);
    }
    return NULL;
}
static void spinning(void *unused) {
    (void)unused;
    reset();
    pthread_spin_init(&spinlock, 0);
    pthread_t thread = start(spin_three_times, NULL);
    spin_three_times(NULL);
    join(thread);
}
static void spin_on_own(void *unused) {
    (void)unused;
    pthread_spin_init(&spinlock, 0);
    pthread_spin_lock(&spinlock);
    pthread_spin_lock(&spinlock);
}
static void test_spinlocks(void **state) {
    (void)state;
    EXPLORE(spinning, 0);
    assert_int_equal(deadlocks, 0);
    EXPLORE(spin_on_own, 0);
    assert_int_equal(deadlocks, SEEDS);
    assert_int_equal(last_deadlock.owner[0], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_thread_at_a_time_holds_a_mutex),
        cmocka_unit_test(test_relock_is_a_deadlock_with_oneself),
        cmocka_unit_test(test_crossed_lock_order_can_deadlock),
        cmocka_unit_test(test_timed_lock_ends_in_time_or_with_the_lock),
        cmocka_unit_test(test_a_deadline_beyond_all_time_does_not_overflow),
        cmocka_unit_test(test_waiters_for_a_robust_mutex_learn_of_a_death),
        cmocka_unit_test(test_broadcast_wakes_all_and_frees_the_variable),
        cmocka_unit_test(test_a_signal_without_waiters_is_lost),
        cmocka_unit_test(test_spurious_wakeups_only_when_asked_for),
        cmocka_unit_test(test_a_signal_wakes_one_whichever),
        cmocka_unit_test(test_timed_wait_ends_in_time_of_its_clock),
        cmocka_unit_test(test_cancelled_wait_returns_the_mutex_and_takes_no_signal),
        cmocka_unit_test(test_readers_together_writers_alone),
        cmocka_unit_test(test_recursive_reading_behind_a_waiting_writer),
        cmocka_unit_test(test_a_writer_out_of_time_lets_readers_in),
        cmocka_unit_test(test_upgrade_is_a_deadlock),
        cmocka_unit_test(test_spinlocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
