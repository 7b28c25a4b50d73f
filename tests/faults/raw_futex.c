/* A lock made of the futex system call. Outcome: controlled like any lock, or refused with the reason; never silently
 * wrong. */
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int state; /* 0 free, 1 taken, 2 taken and waited for */
static int counter;      /* under the lock */

static void lock(void) {
    int seen = 0;
    if (atomic_compare_exchange_strong(&state, &seen, 1)) return;
    while (atomic_exchange(&state, 2) != 0) syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void unlock(void) {
    if (atomic_exchange(&state, 0) == 2) syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *count(void *unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        lock();
        counter++;
        unlock();
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(counter == 4);
    return 0;
}
