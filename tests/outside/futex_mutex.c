/* A mutex and a gate made of futexes by hand: no lost wake-up, no broken exclusion, all operations' results. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static atomic_uint word, gate, second;
static int counter, inside;

static long futex(atomic_uint *at, int operation, unsigned value, void *timeout, atomic_uint *other,
                  unsigned more) {
    return syscall(SYS_futex, at, operation, value, timeout, other, more);
}

/* 0 free, 1 locked, 2 locked and somebody waits. */
static void lock(void) {
    unsigned seen = 0;
    if (atomic_compare_exchange_strong(&word, &seen, 1)) return;
    if (seen != 2) seen = atomic_exchange(&word, 2);
    while (seen != 0) {
        futex(&word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
        seen = atomic_exchange(&word, 2);
    }
}

static void unlock(void) {
    if (atomic_fetch_sub(&word, 1) == 1) return;
    atomic_store(&word, 0);
    futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *worker(void *unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        lock();
        CHECK(inside++ == 0);
        counter++;
        inside--;
        unlock();
    }
    while (!atomic_load(&gate)) futex(&gate, FUTEX_WAIT, 0, NULL, NULL, 0);
    return NULL;
}

static void *wait_bits(void *unused) {
    (void)unused;
    long result = futex(&second, FUTEX_WAIT_BITSET, 0, NULL, NULL, 4);
    CHECK(result == 0 || (result == -1 && errno == EAGAIN));
    return NULL;
}

int main(void) {
    struct timespec soon = {.tv_nsec = 1000}, bad = {.tv_nsec = -1};
    pthread_t threads[3];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, worker, NULL);
worker_free:
    lock();
    if (counter < 4) {
        unlock();
        sched_yield();
        goto worker_free;
    }
    unlock();
    CHECK(futex(&gate, FUTEX_WAIT, 1, NULL, NULL, 0) == -1 && errno == EAGAIN);
    CHECK(futex(&second, FUTEX_WAIT, 0, &soon, NULL, 0) == -1 && errno == ETIMEDOUT);
    CHECK(futex(&second, FUTEX_WAIT, 0, &bad, NULL, 0) == -1 && errno == EINVAL);
    atomic_store(&gate, 1);
    /* Wake one, move the other to another word, and wake it there; each may not have got there yet. */
    long woken = futex(&gate, FUTEX_CMP_REQUEUE, 1, (void *)(uintptr_t)1, &second, 1);
    CHECK(woken >= 0 && woken <= 2);
    CHECK(futex(&gate, FUTEX_CMP_REQUEUE, 1, (void *)(uintptr_t)1, &second, 0) == -1 && errno == EAGAIN);
    long moved = futex(&second, FUTEX_WAKE, 8, NULL, NULL, 0);
    CHECK(moved == (woken == 2 ? 1 : 0));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    CHECK(counter == 4);

    pthread_create(&threads[2], NULL, wait_bits, NULL);
    CHECK(futex(&second, FUTEX_WAKE_BITSET, 1, NULL, NULL, 3) == 0);
    atomic_store(&second, 1);
    (void)futex(&second, FUTEX_WAKE_BITSET, 1, NULL, NULL, 6);
    pthread_join(threads[2], NULL);
    return 0;
}
