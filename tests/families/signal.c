/* Signals and futexes: what depends on everything. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>

#include "family.h"

static atomic_int x, y;
static atomic_uint word;
static pthread_t target;

static void handler(int number_of) {
    (void)number_of;
    y = 10 + x;
}
static void handle(void) {
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, NULL);
}
THREAD(works) {
    x = 1;
    x = 2;
    return y;
}
static number kills(void) {
    void *result;
    pthread_create(&target, NULL, works, NULL);
    pthread_kill(target, SIGUSR1);
    pthread_join(target, &result);
    return (number)result * 100 + y;
}
static void block(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}
THREAD(awaits) {
    sigset_t set;
    int got = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigwait(&set, &got);
    return got == SIGUSR1 ? 1 : 2;
}
THREAD(sends1) { return kill(getpid(), SIGUSR1); }
THREAD(sends2) { return kill(getpid(), SIGUSR2); }

static long futex(int operation, unsigned value) {
    return syscall(SYS_futex, &word, operation, value, NULL, NULL, 0);
}
THREAD(sleeps) {
    long result = futex(FUTEX_WAIT, 0);
    return result ? -errno : (number)word;
}
THREAD(wakes) {
    word = 1;
    return futex(FUTEX_WAKE, 1);
}
THREAD(wakes_careless) { return futex(FUTEX_WAKE, 1); }
THREAD(takes) { /* a lock as in Drepper's paper */
    unsigned expected = 0;
    if (!atomic_compare_exchange_strong(&word, &expected, 1))
        while (atomic_exchange(&word, 2) != 0) futex(FUTEX_WAIT, 2);
    number seen = x++;
    if (atomic_exchange(&word, 0) == 2) futex(FUTEX_WAKE, 1);
    return seen;
}

SCENARIOS({"handler", "-", handle, {0}, NULL, kills}, {"sigwait", "-", block, {awaits, sends1}},
          {"sigwait_two", "-", block, {awaits, sends1, sends2}},
          {"two_sigwait", "-", block, {awaits, awaits, sends1}}, {"futex", "-", NULL, {sleeps, wakes}},
          {"futex_lost", "-", NULL, {sleeps, wakes_careless}},
          {"futex_two", "-", NULL, {sleeps, sleeps, wakes}}, {"futex_lock", "-", NULL, {takes, takes}})
