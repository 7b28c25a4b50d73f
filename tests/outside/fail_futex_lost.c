/* fails: deadlock: wait
 * The waiter looks at the flag, and waits for the word to change from what it reads later: the wake-up in
 * between is lost. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_uint ticket, done;

static void *waiter(void *unused) {
    while (!atomic_load(&done)) syscall(SYS_futex, &ticket, FUTEX_WAIT, atomic_load(&ticket), NULL, NULL, 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    atomic_store(&done, 1);
    atomic_fetch_add(&ticket, 1);
    syscall(SYS_futex, &ticket, FUTEX_WAKE, 1, NULL, NULL, 0);
    pthread_join(thread, NULL);
    return 0;
}
