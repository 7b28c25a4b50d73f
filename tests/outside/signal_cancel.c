/* Threads that wait for signals or children are cancelled there. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { WAITERS = 4 };
static sigset_t set;
static atomic_int cleaned;

static void clean(void *unused) {
    (void)unused;
    atomic_fetch_add(&cleaned, 1);
}

static void *waiter(void *which) {
    int number;
    siginfo_t info;
    pthread_cleanup_push(clean, NULL);
    switch ((int)(long)which) {
    case 0: sigwait(&set, &number); break;
    case 1: sigwaitinfo(&set, &info); break;
    case 2: sigsuspend(&set); break;
    default: pause(); break;
    }
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void) {
    pthread_t threads[WAITERS];
    void *result;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    for (long i = 0; i < WAITERS; i++) pthread_create(&threads[i], NULL, waiter, (void *)i);
    for (int i = 0; i < WAITERS; i++) CHECK(pthread_cancel(threads[i]) == 0);
    for (int i = 0; i < WAITERS; i++) {
        CHECK(pthread_join(threads[i], &result) == 0);
        CHECK(result == PTHREAD_CANCELED);
    }
    CHECK(atomic_load(&cleaned) <= WAITERS);
    return 0;
}
