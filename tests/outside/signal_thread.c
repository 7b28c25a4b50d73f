/* A handler runs in the thread that the signal was sent to; what is blocked stays pending until it is not; queued
 * signals come in order with their values; the highest real-time signal is one like the others. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

#include "check.h"

static pthread_t worker_thread;
static atomic_int handled, last_value;
static int values[4];
static sem_t ready, go;

static void on_signal(int number) {
    CHECK(number == SIGUSR1 || number == SIGRTMAX);
    CHECK(pthread_equal(pthread_self(), worker_thread));
    atomic_fetch_add(&handled, 1);
}

static void on_value(int number, siginfo_t *info, void *context) {
    CHECK(number == SIGRTMIN && info->si_code == SI_QUEUE && context);
    values[atomic_fetch_add(&last_value, 1)] = info->si_value.sival_int;
}

static void *worker(void *unused) {
    sigset_t set, pending;
    (void)unused;
    worker_thread = pthread_self();
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGRTMIN);
    sigaddset(&set, SIGRTMAX);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    sem_post(&ready);
    while (sem_wait(&go)) CHECK(errno == EINTR);
    CHECK(atomic_load(&handled) == 0);
    CHECK(sigpending(&pending) == 0);
    CHECK(sigismember(&pending, SIGUSR1) == 1 && sigismember(&pending, SIGRTMAX) == 1);
    CHECK(sigismember(&pending, SIGUSR2) == 0);
    CHECK(pthread_sigmask(SIG_UNBLOCK, &set, &pending) == 0);
    CHECK(sigismember(&pending, SIGUSR1) == 1);
    CHECK(atomic_load(&handled) == 2); /* two SIGUSR1 are one */
    CHECK(atomic_load(&last_value) == 3 && values[0] == 7 && values[1] == 8 && values[2] == 9);
    return NULL;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_signal}, with_value = {.sa_flags = SA_SIGINFO}, old;
    pthread_t thread;
    sem_init(&ready, 0, 0);
    sem_init(&go, 0, 0);
    with_value.sa_sigaction = on_value;
    CHECK(sigaction(SIGUSR1, &action, &old) == 0 && old.sa_handler == SIG_DFL);
    CHECK(sigaction(SIGRTMAX, &action, NULL) == 0);
    CHECK(sigaction(SIGRTMIN, &with_value, NULL) == 0);
    CHECK(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == on_signal);
    CHECK(sigaction(SIGKILL, &action, NULL) == -1 && errno == EINVAL);
    pthread_create(&thread, NULL, worker, NULL);
    while (sem_wait(&ready)) CHECK(errno == EINTR);
    CHECK(pthread_kill(thread, 0) == 0);
    CHECK(pthread_kill(thread, 99) == EINVAL);
    for (int i = 0; i < 2; i++) CHECK(pthread_kill(thread, SIGUSR1) == 0);
    CHECK(pthread_kill(thread, SIGRTMAX) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_sigqueue(thread, SIGRTMIN, (union sigval){.sival_int = 7 + i}) == 0);
    sem_post(&go);
    pthread_join(thread, NULL);
    return 0;
}
