/* The usual way to handle signals in a threaded program: all threads block them, one takes them by sigwait. Signals
 * to the process come to it, whether it waits already or not; none gets lost, none is handled twice. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static sigset_t set;
static atomic_int hups, terms;

static void *dispatch(void *unused) {
    (void)unused;
    for (;;) {
        int number = 0;
        CHECK(sigwait(&set, &number) == 0);
        if (number == SIGHUP)
            atomic_fetch_add(&hups, 1);
        else if (number == SIGTERM)
            break;
        else
            CHECK(!"another signal");
    }
    atomic_fetch_add(&terms, 1);
    return NULL;
}

int main(void) {
    pthread_t thread;
    siginfo_t info;
    struct timespec none = {0, 0}, some = {0, 1000000}, bad = {0, -1};
    sigset_t other;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGTERM);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    pthread_create(&thread, NULL, dispatch, NULL);
    CHECK(kill(getpid(), SIGHUP) == 0);
    while (!atomic_load(&hups)) sched_yield();
    CHECK(kill(getpid(), SIGTERM) == 0);
    pthread_join(thread, NULL);
    CHECK(atomic_load(&hups) == 1 && atomic_load(&terms) == 1);

    CHECK(sigtimedwait(&set, &info, &none) == -1 && errno == EAGAIN);
    CHECK(sigtimedwait(&set, &info, &some) == -1 && errno == EAGAIN);
    CHECK(sigtimedwait(&set, &info, &bad) == -1 && errno == EINVAL);
    CHECK(sigqueue(getpid(), SIGHUP, (union sigval){.sival_int = 5}) == 0);
    CHECK(sigwaitinfo(&set, &info) == SIGHUP);
    CHECK(info.si_signo == SIGHUP && info.si_code == SI_QUEUE && info.si_value.sival_int == 5);
    CHECK(info.si_pid == getpid());
    /* A signal that is ignored by default is there for who blocks and waits. */
    sigemptyset(&other);
    sigaddset(&other, SIGCHLD);
    CHECK(pthread_sigmask(SIG_BLOCK, &other, NULL) == 0);
    CHECK(raise(SIGCHLD) == 0);
    CHECK(sigtimedwait(&other, &info, &none) == SIGCHLD);
    /* ... and gone when nobody blocks it. */
    CHECK(pthread_sigmask(SIG_UNBLOCK, &other, NULL) == 0);
    CHECK(raise(SIGCHLD) == 0);
    CHECK(sigtimedwait(&other, &info, &none) == -1 && errno == EAGAIN);
    return 0;
}
