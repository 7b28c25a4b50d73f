/* System calls by number that have another name: the same as by that name. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static atomic_long ids[2];
static atomic_int handled;
static int ends[2];

static void on_signal(int number) {
    (void)number;
    atomic_fetch_add(&handled, 1);
}

static void *worker(void *slot) {
    atomic_store((atomic_long *)slot, syscall(SYS_gettid));
    CHECK(atomic_load((atomic_long *)slot) == gettid());
    char byte = 0;
    CHECK(syscall(SYS_read, ends[0], &byte, 1) == 1); /* must not block the others */
    return NULL;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct timespec time, again, little = {.tv_nsec = 10};
    pthread_t threads[2];
    sigaction(SIGUSR1, &action, NULL);
    CHECK(pipe(ends) == 0);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, worker, &ids[i]);
    while (!atomic_load(&ids[0]) || !atomic_load(&ids[1])) syscall(SYS_sched_yield);
    CHECK(atomic_load(&ids[0]) != atomic_load(&ids[1]));
    CHECK(atomic_load(&ids[0]) != gettid() && syscall(SYS_gettid) == getpid());
    CHECK(syscall(SYS_tgkill, getpid(), (pid_t)atomic_load(&ids[0]), SIGUSR1) == 0);
    CHECK(syscall(SYS_tgkill, getpid(), 1, 0) == -1 && errno == ESRCH);
    CHECK(syscall(SYS_write, ends[1], "ab", 2) == 2);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    CHECK(atomic_load(&handled) == 1);
    CHECK(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time) == 0);
    CHECK(syscall(SYS_nanosleep, &little, NULL) == 0);
    CHECK(clock_gettime(CLOCK_MONOTONIC, &again) == 0);
    CHECK(again.tv_sec > time.tv_sec || (again.tv_sec == time.tv_sec && again.tv_nsec > time.tv_nsec));
    CHECK(syscall(SYS_close, 12345) == -1 && errno == EBADF);
    syscall(SYS_exit_group, 0);
    return 1;
}
