/* What every synchronisation function returns, for every outcome that does not need a race: each scenario is
 * run by the hooks under the fake core, and by glibc itself with real threads, and both must give the results
 * written down here. "Elsewhere" is another thread that runs a function to its end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#include "fake_core.h"

enum { MAX_RESULTS = 64 };
static int results[MAX_RESULTS];
static unsigned result_count;

static void note(int result) {
    if (result_count < MAX_RESULTS) results[result_count++] = result;
}
/* For functions that set errno. */
static void note_errno(int result) { note(result == -1 ? errno : result); }

static void *call(void *function) {
    ((void (*)(void))(uintptr_t)function)();
    return NULL;
}

static void elsewhere(void (*function)(void)) {
    pthread_t thread;
    pthread_create(&thread, NULL, call, (void *)(uintptr_t)function);
    pthread_join(thread, NULL);
}

static void run_body(void *body) { ((void (*)(void))(uintptr_t)body)(); }

static void same_as(void (*body)(void), const char *who, const int *expected, unsigned count) {
    for (unsigned i = 0; i < count && i < result_count; i++)
        if (results[i] != expected[i])
            fail_msg("%s: result %u is %d (%s), expected %d (%s)", who, i, results[i], strerror(results[i]),
                     expected[i], strerror(expected[i]));
    assert_int_equal(result_count, count);
    (void)body;
}

static void both(void (*body)(void), const int *expected, unsigned count) {
    result_count = 0;
    body();
    same_as(body, "glibc", expected, count);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        result_count = 0;
        struct fake_outcome outcome = fake_run(seed, run_body, (void *)(uintptr_t)body);
        if (outcome.kind != RV_KIND_NONE) fail_msg("%s: %s", rv_kind_names[outcome.kind], outcome.message);
        same_as(body, "ravel", expected, count);
    }
}
#define BOTH(body, ...) both(body, (const int[]){__VA_ARGS__}, sizeof((int[]){__VA_ARGS__}) / sizeof(int))

static const struct timespec past = {.tv_sec = 1}, bad = {.tv_sec = 4000000000, .tv_nsec = 1000000000};
static const struct timespec before_1970 = {.tv_sec = -5}, never = {.tv_sec = LONG_MAX, .tv_nsec = 1};

/* Mutexes. */

static pthread_mutex_t mutex;

static void make_mutex(int type, int robust) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutexattr_setrobust(&attributes, robust);
    memset(&mutex, 0x55, sizeof mutex);
    note(pthread_mutex_init(&mutex, &attributes));
    pthread_mutexattr_destroy(&attributes);
}

static void try_mutex(void) {
    int result = pthread_mutex_trylock(&mutex);
    note(result);
    if (result == 0) pthread_mutex_unlock(&mutex);
}
static void unlock_mutex(void) { note(pthread_mutex_unlock(&mutex)); }
static void lock_mutex_and_die(void) { note(pthread_mutex_lock(&mutex)); }
static void timed_on_held_mutex(void) {
    note(pthread_mutex_timedlock(&mutex, &past));
    note(pthread_mutex_timedlock(&mutex, &before_1970));
    note(pthread_mutex_timedlock(&mutex, &bad));
    note(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &(struct timespec){0}));
    note(pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &past));
}

static void normal_mutex(void) {
    make_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
    note(pthread_mutex_lock(&mutex));
    note(pthread_mutex_trylock(&mutex));
    note(pthread_mutex_timedlock(&mutex, &past));
    elsewhere(try_mutex);
    elsewhere(timed_on_held_mutex);
    note(pthread_mutex_consistent(&mutex));
    note(pthread_mutex_unlock(&mutex));
    elsewhere(try_mutex);
    note(pthread_mutex_timedlock(&mutex, &past));
    note(pthread_mutex_unlock(&mutex));
    note(pthread_mutex_timedlock(&mutex, &bad));
    note(pthread_mutex_unlock(&mutex));
    note(pthread_mutex_timedlock(&mutex, &never));
    note(pthread_mutex_unlock(&mutex));
    note(pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &past));
    note(pthread_mutex_destroy(&mutex));
}
static void test_normal_mutex(void **state) {
    (void)state;
    BOTH(normal_mutex, 0, 0, EBUSY, ETIMEDOUT, EBUSY, ETIMEDOUT, ETIMEDOUT, EINVAL, ETIMEDOUT, EINVAL, EINVAL,
         0, 0, 0, 0, 0, 0, 0, 0, EINVAL, 0);
}

static void recursive_mutex(void) {
    make_mutex(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
    note(pthread_mutex_unlock(&mutex));
    note(pthread_mutex_lock(&mutex));
    note(pthread_mutex_lock(&mutex));
    note(pthread_mutex_trylock(&mutex));
    note(pthread_mutex_timedlock(&mutex, &past));
    for (int i = 0; i < 3; i++) note(pthread_mutex_unlock(&mutex));
    elsewhere(try_mutex);
    elsewhere(unlock_mutex);
    mutex.__data.__count = UINT_MAX;
    note(pthread_mutex_lock(&mutex));
    mutex.__data.__count = 1;
    note(pthread_mutex_unlock(&mutex));
    elsewhere(try_mutex);
    note(pthread_mutex_destroy(&mutex));
}
static void test_recursive_mutex(void **state) {
    (void)state;
    BOTH(recursive_mutex, 0, EPERM, 0, 0, 0, 0, 0, 0, 0, EBUSY, EPERM, EAGAIN, 0, 0, 0);
}

static void errorcheck_mutex(void) {
    make_mutex(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
    note(pthread_mutex_unlock(&mutex));
    note(pthread_mutex_lock(&mutex));
    note(pthread_mutex_lock(&mutex));
    note(pthread_mutex_trylock(&mutex));
    note(pthread_mutex_timedlock(&mutex, &past));
    elsewhere(unlock_mutex);
    note(pthread_mutex_unlock(&mutex));
    note(pthread_mutex_destroy(&mutex));
}
static void test_errorcheck_mutex(void **state) {
    (void)state;
    BOTH(errorcheck_mutex, 0, EPERM, 0, EDEADLK, EBUSY, EDEADLK, EPERM, 0, 0);
}

static void static_mutexes(void) {
    pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    pthread_mutex_t errorcheck = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
    note(pthread_mutex_lock(&recursive));
    note(pthread_mutex_lock(&recursive));
    note(pthread_mutex_unlock(&recursive));
    note(pthread_mutex_unlock(&recursive));
    note(pthread_mutex_lock(&errorcheck));
    note(pthread_mutex_lock(&errorcheck));
    note(pthread_mutex_unlock(&errorcheck));
    note(pthread_mutex_lock(&adaptive));
    note(pthread_mutex_trylock(&adaptive));
    note(pthread_mutex_unlock(&adaptive));
}
static void test_static_mutexes(void **state) {
    (void)state;
    BOTH(static_mutexes, 0, 0, 0, 0, 0, EDEADLK, 0, 0, EBUSY, 0);
}

static void robust_mutex_recovered(void) {
    make_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
    note(pthread_mutex_unlock(&mutex));
    elsewhere(lock_mutex_and_die);
    note(pthread_mutex_lock(&mutex));
    note(pthread_mutex_consistent(&mutex));
    note(pthread_mutex_consistent(&mutex));
    elsewhere(unlock_mutex);
    note(pthread_mutex_unlock(&mutex));
    note(pthread_mutex_lock(&mutex));
    note(pthread_mutex_unlock(&mutex));
    elsewhere(lock_mutex_and_die);
    note(pthread_mutex_trylock(&mutex));
    note(pthread_mutex_consistent(&mutex));
    note(pthread_mutex_unlock(&mutex));
    elsewhere(lock_mutex_and_die);
    note(pthread_mutex_timedlock(&mutex, &past));
    note(pthread_mutex_consistent(&mutex));
    note(pthread_mutex_unlock(&mutex));
    note(pthread_mutex_destroy(&mutex));
}
static void test_robust_mutex_recovered(void **state) {
    (void)state;
    BOTH(robust_mutex_recovered, 0, EPERM, 0, EOWNERDEAD, 0, EINVAL, EPERM, 0, 0, 0, 0, EOWNERDEAD, 0, 0, 0,
         EOWNERDEAD, 0, 0, 0);
}

static void robust_mutex_lost(void) {
    make_mutex(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ROBUST);
    elsewhere(lock_mutex_and_die);
    note(pthread_mutex_lock(&mutex));
    note(pthread_mutex_trylock(&mutex));
    note(pthread_mutex_lock(&mutex));
    note(pthread_mutex_unlock(&mutex));
    note(pthread_mutex_lock(&mutex));
    note(pthread_mutex_timedlock(&mutex, &past));
    note(pthread_mutex_consistent(&mutex));
    note(pthread_mutex_trylock(&mutex)); /* last: glibc's leaves the mutex locked */
    note(pthread_mutex_destroy(&mutex));
}
static void test_robust_mutex_lost(void **state) {
    (void)state;
    BOTH(robust_mutex_lost, 0, 0, EOWNERDEAD, EDEADLK, EDEADLK, 0, ENOTRECOVERABLE, ENOTRECOVERABLE, EINVAL,
         ENOTRECOVERABLE, 0);
}

/* Condition variables. */

static void condition_variable(void) {
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER, monotonic;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    note(pthread_cond_init(&monotonic, &attributes));
    make_mutex(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
    note(pthread_cond_signal(&cond));
    note(pthread_cond_broadcast(&cond));
    note(pthread_cond_wait(&cond, &mutex));
    note(pthread_mutex_lock(&mutex));
    note(pthread_cond_timedwait(&cond, &mutex, &past));
    note(pthread_cond_timedwait(&cond, &mutex, &before_1970));
    note(pthread_cond_timedwait(&cond, &mutex, &bad));
    note(pthread_cond_timedwait(&monotonic, &mutex, &(struct timespec){0}));
    note(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &(struct timespec){0}));
    note(pthread_cond_clockwait(&cond, &mutex, CLOCK_REALTIME, &bad));
    note(pthread_cond_clockwait(&cond, &mutex, CLOCK_PROCESS_CPUTIME_ID, &past));
    note(pthread_mutex_unlock(&mutex));
    note(pthread_cond_destroy(&cond));
    note(pthread_cond_destroy(&monotonic));
    note(pthread_cond_init(&cond, NULL));
    note(pthread_cond_signal(&cond));
    note(pthread_cond_destroy(&cond));
}
static void test_condition_variable(void **state) {
    (void)state;
    BOTH(condition_variable, 0, 0, 0, 0, EPERM, 0, ETIMEDOUT, ETIMEDOUT, EINVAL, ETIMEDOUT, ETIMEDOUT, EINVAL,
         EINVAL, 0, 0, 0, 0, 0, 0);
}

static void recursive_wait(void) {
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    make_mutex(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
    note(pthread_mutex_lock(&mutex));
    note(pthread_mutex_lock(&mutex));
    note(pthread_cond_timedwait(&cond, &mutex, &past));
    note(pthread_mutex_unlock(&mutex));
    elsewhere(try_mutex);
    note(pthread_mutex_unlock(&mutex));
    elsewhere(try_mutex);
}
static void test_wait_gives_up_one_hold_of_a_recursive_mutex(void **state) {
    (void)state;
    BOTH(recursive_wait, 0, 0, 0, ETIMEDOUT, 0, EBUSY, 0, 0);
}

/* Read-write locks. */

static pthread_rwlock_t rwlock;
static void try_rwlock(void) {
    int result = pthread_rwlock_tryrdlock(&rwlock);
    note(result);
    if (result == 0) note(pthread_rwlock_unlock(&rwlock));
    result = pthread_rwlock_trywrlock(&rwlock);
    note(result);
    if (result == 0) note(pthread_rwlock_unlock(&rwlock));
}
static void timed_rwlock(void) {
    note(pthread_rwlock_timedrdlock(&rwlock, &past));
    note(pthread_rwlock_timedwrlock(&rwlock, &past));
    note(pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &(struct timespec){0}));
    note(pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &(struct timespec){0}));
}

static void read_write_lock(void) {
    note(pthread_rwlock_init(&rwlock, NULL));
    note(pthread_rwlock_rdlock(&rwlock));
    note(pthread_rwlock_rdlock(&rwlock));
    elsewhere(try_rwlock);
    note(pthread_rwlock_trywrlock(&rwlock));
    note(pthread_rwlock_timedwrlock(&rwlock, &past));
    note(pthread_rwlock_unlock(&rwlock));
    note(pthread_rwlock_unlock(&rwlock));
    note(pthread_rwlock_wrlock(&rwlock));
    note(pthread_rwlock_rdlock(&rwlock));
    note(pthread_rwlock_wrlock(&rwlock));
    note(pthread_rwlock_tryrdlock(&rwlock));
    note(pthread_rwlock_trywrlock(&rwlock));
    note(pthread_rwlock_timedrdlock(&rwlock, &past));
    note(pthread_rwlock_timedwrlock(&rwlock, &past));
    elsewhere(try_rwlock);
    elsewhere(timed_rwlock);
    note(pthread_rwlock_unlock(&rwlock));
    note(pthread_rwlock_timedrdlock(&rwlock, &bad));
    note(pthread_rwlock_timedwrlock(&rwlock, &bad));
    note(pthread_rwlock_clockrdlock(&rwlock, CLOCK_PROCESS_CPUTIME_ID, &past));
    note(pthread_rwlock_clockwrlock(&rwlock, CLOCK_PROCESS_CPUTIME_ID, &past));
    elsewhere(try_rwlock);
    note(pthread_rwlock_timedwrlock(&rwlock, &past));
    note(pthread_rwlock_unlock(&rwlock));
    note(pthread_rwlock_destroy(&rwlock));
}
static void test_read_write_lock(void **state) {
    (void)state;
    BOTH(read_write_lock, 0, 0, 0, 0, 0, EBUSY, EBUSY, ETIMEDOUT, 0, 0, 0, EDEADLK, EDEADLK, EBUSY, EBUSY,
         EDEADLK, EDEADLK, EBUSY, EBUSY, ETIMEDOUT, ETIMEDOUT, ETIMEDOUT, ETIMEDOUT, 0, EINVAL, EINVAL,
         EINVAL, EINVAL, 0, 0, 0, 0, 0, 0, 0);
}

/* Spinlocks and barriers. */

static pthread_spinlock_t spinlock;
static void try_spinlock(void) {
    int result = pthread_spin_trylock(&spinlock);
    note(result);
    if (result == 0) note(pthread_spin_unlock(&spinlock));
}
static void spin(void) {
    note(pthread_spin_init(&spinlock, PTHREAD_PROCESS_PRIVATE));
    note(pthread_spin_lock(&spinlock));
    note(pthread_spin_trylock(&spinlock));
    elsewhere(try_spinlock);
    note(pthread_spin_unlock(&spinlock));
    elsewhere(try_spinlock);
    note(pthread_spin_destroy(&spinlock));
}
static void test_spin(void **state) {
    (void)state;
    BOTH(spin, 0, 0, EBUSY, EBUSY, 0, 0, 0, 0);
}

static void barrier(void) {
    pthread_barrier_t one;
    note(pthread_barrier_init(&one, NULL, 0));
    note(pthread_barrier_init(&one, NULL, (unsigned)INT_MAX + 1));
    note(pthread_barrier_init(&one, NULL, 1));
    note(pthread_barrier_wait(&one));
    note(pthread_barrier_wait(&one));
    note(pthread_barrier_destroy(&one));
}
static void test_barrier(void **state) {
    (void)state;
    BOTH(barrier, EINVAL, EINVAL, 0, PTHREAD_BARRIER_SERIAL_THREAD, PTHREAD_BARRIER_SERIAL_THREAD, 0);
}

/* Semaphores. */

static void unnamed_semaphore(void) {
    sem_t semaphore;
    int value = -7;
    note_errno(sem_init(&semaphore, 0, (unsigned)SEM_VALUE_MAX + 1));
    note_errno(sem_init(&semaphore, 0, 1));
    note_errno(sem_wait(&semaphore));
    note_errno(sem_trywait(&semaphore));
    note_errno(sem_timedwait(&semaphore, &past));
    note_errno(sem_timedwait(&semaphore, &bad));
    note_errno(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &(struct timespec){0}));
    note_errno(sem_clockwait(&semaphore, CLOCK_PROCESS_CPUTIME_ID, &past));
    note_errno(sem_post(&semaphore));
    note_errno(sem_timedwait(&semaphore, &bad));
    note_errno(sem_getvalue(&semaphore, &value));
    note(value);
    note_errno(sem_timedwait(&semaphore, &past));
    note_errno(sem_destroy(&semaphore));
    note_errno(sem_init(&semaphore, 1, SEM_VALUE_MAX));
    note_errno(sem_post(&semaphore));
    note_errno(sem_trywait(&semaphore));
    note_errno(sem_getvalue(&semaphore, &value));
    note(value == SEM_VALUE_MAX - 1);
    note_errno(sem_destroy(&semaphore));
}
static void test_unnamed_semaphore(void **state) {
    (void)state;
    BOTH(unnamed_semaphore, EINVAL, 0, 0, EAGAIN, ETIMEDOUT, EINVAL, ETIMEDOUT, EINVAL, 0, EINVAL, 0, 1, 0, 0,
         0, EOVERFLOW, 0, 0, 1, 0);
}

static sem_t *noted_open(const char *name, int flags, unsigned value) {
    sem_t *semaphore = sem_open(name, flags, 0600, value);
    note(semaphore == SEM_FAILED ? errno : 0);
    return semaphore;
}

static void named_semaphore(void) {
    char name[64], other[64], too_long[300];
    int value = -1;
    snprintf(name, sizeof name, "/ravel-test-%d", (int)getpid());
    snprintf(other, sizeof other, "///ravel-test-%d", (int)getpid());
    memset(too_long, 'x', sizeof too_long);
    too_long[0] = '/';
    too_long[sizeof too_long - 1] = 0;
    noted_open(name, 0, 0);
    noted_open("/", O_CREAT, 0);
    noted_open("/a/b", O_CREAT, 0);
    noted_open(too_long, O_CREAT, 0);
    too_long[253] = 0; /* a slash and 252 letters: one too many behind "sem." */
    noted_open(too_long, O_CREAT, 0);
    noted_open(name, O_CREAT, (unsigned)SEM_VALUE_MAX + 1);
    sem_t *first = noted_open(name, O_CREAT | O_EXCL, 2);
    noted_open(name, O_CREAT | O_EXCL, 2);
    noted_open(name, O_CREAT | O_EXCL, (unsigned)SEM_VALUE_MAX + 1);
    sem_t *second = noted_open(name, O_CREAT, (unsigned)SEM_VALUE_MAX + 1);
    note(first == second);
    note_errno(sem_close(noted_open(other, 0, 0)));
    note_errno(sem_wait(second));
    note_errno(sem_getvalue(first, &value));
    note(value);
    note_errno(sem_close(second));
    note_errno(sem_trywait(first));
    note_errno(sem_trywait(first));
    note_errno(sem_unlink(name));
    note_errno(sem_unlink(name));
    note_errno(sem_unlink("/"));
    note_errno(sem_unlink("/a/b"));
    note_errno(sem_unlink(too_long));
    note_errno(sem_post(first));
    second = noted_open(name, O_CREAT, 5);
    note(first != second);
    note_errno(sem_getvalue(second, &value));
    note(value);
    note_errno(sem_close(first));
    note_errno(sem_close(second));
    second = noted_open(name, 0, 0);
    note_errno(sem_getvalue(second, &value));
    note(value);
    note_errno(sem_unlink(name));
    note_errno(sem_close(second));
    sem_t not_opened;
    note_errno(sem_init(&not_opened, 0, 0));
    note_errno(sem_close(&not_opened));
    noted_open(name, 0, 0);
}
static void test_named_semaphore(void **state) {
    (void)state;
    BOTH(named_semaphore, ENOENT, EINVAL, EINVAL, EINVAL, ENAMETOOLONG, EINVAL, 0, EEXIST, EINVAL, 0, 1, 0, 0,
         0, 0, 1, 0, 0, EAGAIN, 0, ENOENT, ENOENT, ENOENT, ENAMETOOLONG, 0, 0, 1, 0, 5, 0, 0, 0, 0, 5, 0, 0,
         0, EINVAL, ENOENT);
}

/* Once and C11. */

static pthread_once_t once_control;
static once_flag flag;
static int initialised;
static void initialise(void) { initialised++; }
static void initialise_and_exit(void) {
    initialised++;
    pthread_exit(NULL);
}
static void exit_in_once(void) { pthread_once(&once_control, initialise_and_exit); }

static void once(void) {
    initialised = 0;
    once_control = PTHREAD_ONCE_INIT;
    note(pthread_once(&once_control, initialise));
    note(pthread_once(&once_control, initialise));
    note(initialised);
    once_control = PTHREAD_ONCE_INIT;
    elsewhere(exit_in_once);
    note(pthread_once(&once_control, initialise));
    note(initialised);
    flag = (once_flag)ONCE_FLAG_INIT;
    call_once(&flag, initialise);
    call_once(&flag, initialise);
    note(initialised);
}
static void test_once(void **state) {
    (void)state;
    BOTH(once, 0, 0, 1, 0, 3, 4);
}

static mtx_t plain, recursive;
static int c11_other(void *argument) {
    (void)argument;
    note(mtx_trylock(&plain));
    note(mtx_timedlock(&plain, &past));
    note(mtx_timedlock(&plain, &bad));
    note(mtx_trylock(&recursive));
    note(mtx_unlock(&recursive));
    note(thrd_equal(thrd_current(), thrd_current()) != 0);
    thrd_yield();
    if (argument) thrd_exit(-8);
    return -7;
}

static void c11(void) {
    cnd_t cond;
    thrd_t thread;
    tss_t key;
    int status = 0;
    note(mtx_init(&plain, mtx_plain));
    note(mtx_init(&recursive, 77)); /* taken as plain by glibc */
    note(mtx_init(&recursive, mtx_recursive | mtx_timed));
    note(mtx_lock(&plain));
    note(mtx_trylock(&plain));
    note(mtx_lock(&recursive));
    note(mtx_lock(&recursive));
    int created = thrd_create(&thread, c11_other, NULL);
    note(thrd_join(thread, &status));
    note(created);
    note(status);
    created = thrd_create(&thread, c11_other, &plain);
    note(thrd_join(thread, &status));
    note(created);
    note(status);
    note(cnd_init(&cond));
    note(cnd_timedwait(&cond, &plain, &past));
    note(cnd_timedwait(&cond, &plain, &bad));
    note(cnd_signal(&cond));
    note(cnd_broadcast(&cond));
    cnd_destroy(&cond);
    note(mtx_unlock(&recursive));
    note(mtx_unlock(&recursive));
    note(mtx_unlock(&recursive));
    note(mtx_unlock(&plain));
    mtx_destroy(&plain);
    mtx_destroy(&recursive);
    note(tss_create(&key, NULL));
    note(tss_set(key, &status));
    note(tss_get(key) == &status);
    tss_delete(key);
}
static void test_c11(void **state) {
    (void)state;
    enum { OK = thrd_success, BUSY = thrd_busy, ERROR = thrd_error, LATE = thrd_timedout };
    BOTH(c11, OK, OK, OK, OK, BUSY, OK, OK, BUSY, LATE, ERROR, BUSY, ERROR, 1, OK, OK, -7, BUSY, LATE, ERROR,
         BUSY, ERROR, 1, OK, OK, -8, OK, LATE, ERROR, OK, OK, OK, OK, ERROR, OK, OK, OK, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal_mutex),
        cmocka_unit_test(test_recursive_mutex),
        cmocka_unit_test(test_errorcheck_mutex),
        cmocka_unit_test(test_static_mutexes),
        cmocka_unit_test(test_robust_mutex_recovered),
        cmocka_unit_test(test_robust_mutex_lost),
        cmocka_unit_test(test_condition_variable),
        cmocka_unit_test(test_wait_gives_up_one_hold_of_a_recursive_mutex),
        cmocka_unit_test(test_read_write_lock),
        cmocka_unit_test(test_spin),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_unnamed_semaphore),
        cmocka_unit_test(test_named_semaphore),
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_c11),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
