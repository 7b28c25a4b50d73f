/* Timers by signal: alarm, setitimer and timer_create, with waits that only the handler ends. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static sem_t ticked;
static atomic_int ticks, posix_ticks;

static void on_alarm(int number) {
    CHECK(number == SIGALRM);
    atomic_fetch_add(&ticks, 1);
    sem_post(&ticked);
}

static void on_timer(int number, siginfo_t *info, void *context) {
    (void)context;
    CHECK(number == SIGRTMIN + 1 && info->si_code == SI_TIMER && info->si_value.sival_int == 77);
    atomic_fetch_add(&posix_ticks, 1);
    sem_post(&ticked);
}

static void wait_for_tick(void) {
    while (sem_wait(&ticked)) CHECK(errno == EINTR);
}

static void *waiter(void *unused) {
    (void)unused;
    wait_for_tick();
    return NULL;
}

static void posix_timer(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
    struct itimerspec once = {.it_value = {.tv_nsec = 1000000}}, left, never = {{0, 0}, {0, 0}};
    timer_t timer;
    event.sigev_value.sival_int = 77;
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    CHECK(timer_gettime(timer, &left) == 0 && left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0);
    CHECK(timer_settime(timer, 0, &once, NULL) == 0);
    wait_for_tick();
    CHECK(atomic_load(&posix_ticks) == 1 && timer_getoverrun(timer) == 0);
    once.it_value.tv_sec = 3600;
    CHECK(timer_settime(timer, 0, &once, NULL) == 0);
    CHECK(timer_settime(timer, 0, &never, &left) == 0);
    CHECK(left.it_value.tv_sec <= 3600);
    CHECK(timer_delete(timer) == 0);
    CHECK(timer_delete(timer) == -1 && errno == EINVAL);
    CHECK(timer_create(12345, &event, &timer) == -1 && errno == EINVAL);
}

int main(void) {
    struct sigaction action = {.sa_handler = on_alarm}, posix_action = {.sa_flags = SA_SIGINFO | SA_RESTART};
    struct itimerval every = {.it_interval = {.tv_usec = 1000}, .it_value = {.tv_usec = 1000}}, old;
    struct itimerval never = {{0, 0}, {0, 0}};
    pthread_t thread;
    sem_init(&ticked, 0, 0);
    posix_action.sa_sigaction = on_timer;
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    CHECK(sigaction(SIGRTMIN + 1, &posix_action, NULL) == 0);
    CHECK(alarm(1) == 0); /* armed before there is a thread */
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_join(thread, NULL);
    CHECK(atomic_load(&ticks) == 1);
    CHECK(alarm(0) == 0);

    CHECK(setitimer(ITIMER_REAL, &every, &old) == 0 && old.it_value.tv_sec == 0 && old.it_value.tv_usec == 0);
    for (int i = 0; i < 3; i++) wait_for_tick();
    CHECK(setitimer(ITIMER_REAL, &never, &old) == 0 && old.it_interval.tv_usec == 1000);
    CHECK(atomic_load(&ticks) >= 4);
    while (sem_trywait(&ticked) == 0) continue;
    posix_timer();
    return 0;
}
