/* Misuse of synchronisation objects, each with the words that the user gets; and the uses close to them
 * that are allowed. A case that needs a second thread waits until that thread is where it should be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <threads.h>

#include "fake_core.h"

static pthread_mutex_t mutex, second_mutex;
static pthread_cond_t cond;
static pthread_rwlock_t rwlock;
static pthread_spinlock_t spinlock;
static pthread_barrier_t barrier;
static sem_t semaphore;
static volatile int arrived;

static void start(void *(*body)(void *)) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
}
static void await_arrival(int count) {
    while (arrived < count) sched_yield();
}
static void await_waiters(const void *object, uint32_t count) {
    for (;;) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < rv.fiber_count; i++) {
            const struct rv_fiber *fiber = rv.fibers[i];
            found += fiber->waiting_on == object || (fiber->pending.object == object && fiber->pending.ready);
        }
        if (found >= count) return;
        sched_yield();
    }
}

/* Second threads. */
static void *stay(void) {
    while (arrived) sched_yield();
    return NULL;
}
static void *hold_mutex(void *unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
    arrived++;
    return stay();
}
static void *wait_on_cond(void *unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    return NULL;
}
static void *hold_for_writing(void *unused) {
    (void)unused;
    pthread_rwlock_wrlock(&rwlock);
    arrived++;
    return stay();
}
static void *hold_for_reading(void *unused) {
    (void)unused;
    pthread_rwlock_rdlock(&rwlock);
    arrived++;
    return stay();
}
static void *hold_spinlock(void *unused) {
    (void)unused;
    pthread_spin_lock(&spinlock);
    arrived++;
    return stay();
}
static void *wait_at_barrier(void *unused) {
    (void)unused;
    pthread_barrier_wait(&barrier);
    return NULL;
}
static void *wait_for_semaphore(void *unused) {
    (void)unused;
    sem_wait(&semaphore);
    return NULL;
}

/* The cases. */
static void unlock_free(void) { pthread_mutex_unlock(&mutex); }
static void unlock_twice(void) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
}
static void unlock_of_other(void) {
    start(hold_mutex);
    await_arrival(1);
    pthread_mutex_unlock(&mutex);
}
static void destroy_locked(void) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_destroy(&mutex);
}
static void lock_destroyed(void) {
    pthread_mutex_destroy(&mutex);
    pthread_mutex_lock(&mutex);
}
static void unlock_destroyed(void) {
    pthread_mutex_destroy(&mutex);
    pthread_mutex_unlock(&mutex);
}
static void destroy_twice(void) {
    pthread_mutex_destroy(&mutex);
    pthread_mutex_destroy(&mutex);
}
static void lock_garbage(void) {
    memset(&mutex, 0x7e, sizeof mutex);
    pthread_mutex_trylock(&mutex);
}
static void mtx_unlock_free(void) {
    mtx_t plain;
    mtx_init(&plain, mtx_plain);
    mtx_unlock(&plain);
}
static void wait_unlocked(void) { pthread_cond_wait(&cond, &mutex); }
static void timed_wait_with_others_mutex(void) {
    start(hold_mutex);
    await_arrival(1);
    pthread_cond_timedwait(&cond, &mutex, &(struct timespec){0});
}
static void wait_with_second_mutex(void) {
    start(wait_on_cond);
    await_waiters(&cond, 1);
    pthread_mutex_lock(&second_mutex);
    pthread_cond_wait(&cond, &second_mutex);
}
static void destroy_cond_waited_on(void) {
    start(wait_on_cond);
    await_waiters(&cond, 1);
    pthread_cond_destroy(&cond);
}
static void signal_destroyed(void) {
    pthread_cond_destroy(&cond);
    pthread_cond_signal(&cond);
}
static void wait_destroyed(void) {
    pthread_cond_destroy(&cond);
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&cond, &mutex);
}
static void rwunlock_free(void) { pthread_rwlock_unlock(&rwlock); }
static void rwunlock_of_writer(void) {
    start(hold_for_writing);
    await_arrival(1);
    pthread_rwlock_unlock(&rwlock);
}
static void rwunlock_of_reader(void) {
    start(hold_for_reading);
    await_arrival(1);
    pthread_rwlock_unlock(&rwlock);
}
static void rwlock_destroy_locked(void) {
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_destroy(&rwlock);
}
static void rwlock_destroyed(void) {
    pthread_rwlock_destroy(&rwlock);
    pthread_rwlock_rdlock(&rwlock);
}
static void rwlock_destroyed_twice(void) {
    pthread_rwlock_destroy(&rwlock);
    pthread_rwlock_destroy(&rwlock);
}
static void rwlock_garbage(void) {
    memset(&rwlock, 0x7e, sizeof rwlock);
    pthread_rwlock_wrlock(&rwlock);
}
static void spin_unlock_free(void) { pthread_spin_unlock(&spinlock); }
static void spin_unlock_of_other(void) {
    start(hold_spinlock);
    await_arrival(1);
    pthread_spin_unlock(&spinlock);
}
static void spin_destroy_locked(void) {
    pthread_spin_lock(&spinlock);
    pthread_spin_destroy(&spinlock);
}
static void spin_destroyed(void) {
    pthread_spin_destroy(&spinlock);
    pthread_spin_lock(&spinlock);
}
static void spin_garbage(void) {
    spinlock = 0x7e7e7e7e;
    pthread_spin_trylock(&spinlock);
}
static void spin_zero(void) {
    spinlock = 0;
    pthread_spin_unlock(&spinlock);
}
static void barrier_destroy_in_use(void) {
    start(wait_at_barrier);
    await_waiters(&barrier, 1);
    pthread_barrier_destroy(&barrier);
}
static void barrier_destroyed(void) {
    pthread_barrier_destroy(&barrier);
    pthread_barrier_wait(&barrier);
}
static void barrier_uninitialised(void) {
    memset(&barrier, 0, sizeof barrier);
    pthread_barrier_wait(&barrier);
}
static void sem_destroy_in_use(void) {
    start(wait_for_semaphore);
    await_waiters(&semaphore, 1);
    sem_destroy(&semaphore);
}
static void sem_destroyed(void) {
    sem_destroy(&semaphore);
    sem_post(&semaphore);
}
static void sem_destroyed_twice(void) {
    sem_destroy(&semaphore);
    sem_destroy(&semaphore);
}
static void sem_garbage(void) {
    memset(&semaphore, 0x99, sizeof semaphore);
    sem_wait(&semaphore);
}
static void lock_in_freed_memory(void) {
    pthread_mutex_t *in_heap = fake_heap_page();
    pthread_mutex_init(in_heap, NULL);
    pthread_mutex_lock(in_heap);
    fake_heap_free_page();
    pthread_mutex_unlock(in_heap);
}
static void wait_in_freed_memory(void) {
    sem_t *in_heap = fake_heap_page();
    sem_init(in_heap, 0, 0);
    fake_heap_free_page();
    sem_wait(in_heap);
}
static void lock_outside_block(void) {
    pthread_rwlock_rdlock((pthread_rwlock_t *)((char *)fake_heap_page() + 4088));
}

/* Allowed. */
static void nothing_wrong(void) {
    pthread_mutex_destroy(&mutex);
    pthread_mutex_init(&mutex, NULL);
    start(wait_on_cond);
    await_waiters(&cond, 1);
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&cond);
    pthread_cond_destroy(&cond);
    pthread_mutex_unlock(&mutex);
    pthread_cond_init(&cond, NULL);
    pthread_cond_signal(&cond);
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    pthread_rwlock_destroy(&rwlock);
    pthread_rwlock_init(&rwlock, NULL);
    pthread_spin_destroy(&spinlock);
    pthread_spin_init(&spinlock, 0);
    sem_destroy(&semaphore);
    sem_init(&semaphore, 0, 0);
    pthread_barrier_destroy(&barrier);
    pthread_barrier_init(&barrier, NULL, 1);
    pthread_barrier_wait(&barrier);
    pthread_mutex_t *in_heap = fake_heap_page();
    pthread_mutex_init(in_heap, NULL);
    pthread_mutex_lock(in_heap);
    pthread_mutex_unlock(in_heap);
}
/* More read locks than a thread's list of held locks has room for: nothing is known, nothing is claimed. */
static void many_read_locks(void) {
    static pthread_rwlock_t many[40];
    for (int i = 0; i < 40; i++) pthread_rwlock_init(&many[i], NULL);
    for (int i = 0; i < 40; i++) pthread_rwlock_rdlock(&many[i]);
    for (int i = 0; i < 40; i++) pthread_rwlock_unlock(&many[i]);
}

static const struct {
    void (*body)(void);
    enum rv_kind kind;
    const char *message;
} cases[] = {
    {unlock_free, RV_KIND_MISUSE, "unlock of a mutex that is not locked"},
    {unlock_twice, RV_KIND_MISUSE, "unlock of a mutex that is not locked"},
    {unlock_of_other, RV_KIND_MISUSE, "unlock of a mutex that thread 1 holds"},
    {destroy_locked, RV_KIND_MISUSE, "mutex destroy of a mutex that thread 0 holds"},
    {lock_destroyed, RV_KIND_MISUSE, "lock of a destroyed mutex"},
    {unlock_destroyed, RV_KIND_MISUSE, "unlock of a destroyed mutex"},
    {destroy_twice, RV_KIND_MISUSE, "mutex destroy of a destroyed mutex"},
    {lock_garbage, RV_KIND_MISUSE, "trylock of a mutex that was never initialised"},
    {mtx_unlock_free, RV_KIND_MISUSE, "unlock of a mutex that is not locked"},
    {wait_unlocked, RV_KIND_MISUSE, "wait with a mutex that is not locked"},
    {timed_wait_with_others_mutex, RV_KIND_MISUSE, "timed wait with a mutex that thread 1 holds"},
    {wait_with_second_mutex, RV_KIND_MISUSE,
     "wait with another mutex than the one with which thread 1 waits"},
    {destroy_cond_waited_on, RV_KIND_MISUSE, "destroy of a condition variable on which 1 thread(s) wait"},
    {signal_destroyed, RV_KIND_MISUSE, "signal of a destroyed condition variable"},
    {wait_destroyed, RV_KIND_MISUSE, "wait of a destroyed condition variable"},
    {rwunlock_free, RV_KIND_MISUSE, "unlock of a read-write lock that is not locked"},
    {rwunlock_of_writer, RV_KIND_MISUSE, "unlock of a read-write lock that another thread holds for writing"},
    {rwunlock_of_reader, RV_KIND_MISUSE, "unlock of a read-write lock that this thread does not hold"},
    {rwlock_destroy_locked, RV_KIND_MISUSE, "destroy of a locked read-write lock"},
    {rwlock_destroyed, RV_KIND_MISUSE, "read lock of a destroyed read-write lock"},
    {rwlock_destroyed_twice, RV_KIND_MISUSE, "destroy of a destroyed read-write lock"},
    {rwlock_garbage, RV_KIND_MISUSE, "write lock of a read-write lock that was never initialised"},
    {spin_unlock_free, RV_KIND_MISUSE, "unlock of a spinlock that is not locked"},
    {spin_unlock_of_other, RV_KIND_MISUSE, "unlock of a spinlock that thread 1 holds"},
    {spin_destroy_locked, RV_KIND_MISUSE, "destroy of a locked spinlock"},
    {spin_destroyed, RV_KIND_MISUSE, "spin lock of a destroyed spinlock"},
    {spin_garbage, RV_KIND_MISUSE, "spin trylock of a spinlock that was never initialised"},
    {spin_zero, RV_KIND_MISUSE, "unlock of a spinlock that was never initialised"},
    {barrier_destroy_in_use, RV_KIND_MISUSE, "destroy of a barrier at which 1 thread(s) wait"},
    {barrier_destroyed, RV_KIND_MISUSE, "wait of a destroyed barrier"},
    {barrier_uninitialised, RV_KIND_MISUSE, "wait of a barrier that was never initialised"},
    {sem_destroy_in_use, RV_KIND_MISUSE, "destroy of a semaphore on which thread 1 waits"},
    {sem_destroyed, RV_KIND_MISUSE, "semaphore post of a destroyed semaphore"},
    {sem_destroyed_twice, RV_KIND_MISUSE, "destroy of a destroyed semaphore"},
    {sem_garbage, RV_KIND_MISUSE, "semaphore wait of a semaphore that was never initialised"},
    {lock_in_freed_memory, RV_KIND_USE_AFTER_FREE, "unlock: the mutex lies in freed memory"},
    {wait_in_freed_memory, RV_KIND_USE_AFTER_FREE, "semaphore wait: the semaphore lies in freed memory"},
    {lock_outside_block, RV_KIND_HEAP_OVERFLOW, "read lock: the read-write lock lies outside its heap block"},
    {nothing_wrong, RV_KIND_NONE, ""},
    {many_read_locks, RV_KIND_NONE, ""},
};

static void run_case(void *body) {
    arrived = 0;
    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_init(&second_mutex, NULL);
    pthread_cond_init(&cond, NULL);
    pthread_rwlock_init(&rwlock, NULL);
    pthread_spin_init(&spinlock, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphore, 0, 0);
    ((void (*)(void))(uintptr_t)body)();
}

static void test_cases(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            struct fake_outcome outcome = fake_run(seed, run_case, (void *)(uintptr_t)cases[i].body);
            if (outcome.kind != cases[i].kind || strcmp(outcome.message, cases[i].message))
                fail_msg("case %zu, seed %d: got %s \"%s\", expected %s \"%s\"", i, (int)seed,
                         rv_kind_names[outcome.kind], outcome.message, rv_kind_names[cases[i].kind],
                         cases[i].message);
        }
}

/* What a thread opened or created by name in one execution is not there in the next. */
static void create_name(void *unused) {
    (void)unused;
    start(wait_for_semaphore);
    sem_t *named = sem_open("/one", O_CREAT | O_EXCL, 0600, 1);
    assert_ptr_not_equal(named, SEM_FAILED);
    assert_ptr_not_equal(sem_open("/two", O_CREAT | O_EXCL, 0600, 1), SEM_FAILED);
    sem_unlink("/one");
    sem_close(named);
}
static void test_names_end_with_the_execution(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        fake_run(seed, run_case, (void *)(uintptr_t)nothing_wrong);
        struct fake_outcome outcome = fake_run(seed, create_name, NULL);
        assert_int_equal(outcome.kind, RV_KIND_NONE);
        assert_int_equal(outcome.undone, 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_names_end_with_the_execution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
