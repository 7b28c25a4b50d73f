/* A handler interrupts a blocking call, or the call goes on when the handler was installed with SA_RESTART; a
 * sleep is always interrupted; locks, condition variables and joins never are, but the handler runs meanwhile. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static int ends[2];
static atomic_int handled;
static sem_t from_handler;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void on_signal(int number) {
    (void)number;
    errno = ENOSYS; /* must not be seen by the interrupted code */
    atomic_fetch_add(&handled, 1);
    sem_post(&from_handler);
}

static void install(int flags) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
}

static void *interrupted(void *unused) {
    char byte;
    (void)unused;
    CHECK(read(ends[0], &byte, 1) == -1 && errno == EINTR);
    return NULL;
}

static void *restarted(void *unused) {
    char byte = 0;
    (void)unused;
    CHECK(read(ends[0], &byte, 1) == 1 && byte == 'x');
    return NULL;
}

static void *locker(void *unused) {
    (void)unused;
    CHECK(pthread_mutex_lock(&lock) == 0);
    CHECK(pthread_mutex_unlock(&lock) == 0);
    return NULL;
}

static void *sleeper(void *unused) {
    struct timespec year = {.tv_sec = 365 * 86400}, left = {0, 0};
    (void)unused;
    int result = nanosleep(&year, &left);
    CHECK(result == 0 || (errno == EINTR && left.tv_sec <= year.tv_sec));
    return NULL;
}

/* Signals the thread until the handler has run: it may not have begun to wait yet. */
static void signal_until_handled(pthread_t thread, int before) {
    while (atomic_load(&handled) == before) {
        CHECK(pthread_kill(thread, SIGUSR1) == 0);
        CHECK(sem_wait(&from_handler) == 0);
    }
}

int main(void) {
    pthread_t thread;
    CHECK(pipe(ends) == 0);
    sem_init(&from_handler, 0, 0);
    install(0);
    pthread_create(&thread, NULL, interrupted, NULL);
    /* One signal may come before the read and not interrupt it; then another is needed. */
    while (pthread_tryjoin_np(thread, NULL)) {
        CHECK(pthread_kill(thread, SIGUSR1) == 0);
        sched_yield();
    }
    install(SA_RESTART);
    while (sem_trywait(&from_handler) == 0) continue;
    pthread_create(&thread, NULL, restarted, NULL);
    signal_until_handled(thread, atomic_load(&handled));
    CHECK(write(ends[1], "x", 1) == 1);
    pthread_join(thread, NULL);

    CHECK(pthread_mutex_lock(&lock) == 0);
    pthread_create(&thread, NULL, locker, NULL);
    signal_until_handled(thread,
                         atomic_load(&handled)); /* the handler runs although the lock is not to be had */
    CHECK(pthread_mutex_unlock(&lock) == 0);
    pthread_join(thread, NULL);

    pthread_create(&thread, NULL, sleeper, NULL);
    while (pthread_tryjoin_np(thread, NULL)) {
        (void)pthread_kill(thread, SIGUSR1);
        sched_yield();
    }
    return 0;
}
