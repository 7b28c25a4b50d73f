/* Timers and signals as descriptors. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "../sync/check.h"

static int timer, signals;

static void *wait_for_signals(void *unused) {
    (void)unused;
    struct signalfd_siginfo info;
    CHECK(read(signals, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR1);
    struct pollfd one = {.fd = signals, .events = POLLIN};
    CHECK(poll(&one, 1, -1) == 1 && one.revents == POLLIN);
    CHECK(read(signals, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR2);
    return NULL;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    signals = signalfd(-1, &set, SFD_CLOEXEC);
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    CHECK(signals >= 0 && timer >= 0);
    struct itimerspec times = {.it_value = {.tv_sec = 5}}, left;
    CHECK(timerfd_settime(timer, 0, &times, NULL) ==
          0); /* armed before the threads, in each execution again */
    CHECK(pthread_create(&thread, NULL, wait_for_signals, NULL) == 0);
    CHECK(timerfd_gettime(timer, &left) == 0 && left.it_value.tv_sec >= 4);
    CHECK(kill(getpid(), SIGUSR1) == 0);
    struct timespec before, after;
    uint64_t count;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &before) == 0);
    CHECK(read(timer, &count, sizeof count) == sizeof count && count == 1);
    CHECK(clock_gettime(CLOCK_MONOTONIC, &after) == 0 && after.tv_sec - before.tv_sec >= 4);
    CHECK(timerfd_gettime(timer, &left) == 0 && left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0);
    times = (struct itimerspec){.it_value = {.tv_sec = 1}, .it_interval = {.tv_sec = 1}};
    CHECK(timerfd_settime(timer, 0, &times, NULL) == 0);
    CHECK(nanosleep(&(struct timespec){.tv_sec = 3, .tv_nsec = 500000000}, NULL) == 0);
    CHECK(read(timer, &count, sizeof count) == sizeof count && count >= 3);
    CHECK(write(timer, &count, sizeof count) == -1 && errno == EINVAL);
    CHECK(pthread_kill(thread, SIGUSR2) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    return 0;
}
