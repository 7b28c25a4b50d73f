/* A timer that ticks for ever does not keep a program alive whose threads have all ended. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

#include "check.h"

static atomic_int ticks;

static void on_tick(int number) {
    (void)number;
    ticks = ticks + 1;
}

static void *worker(void *unused) {
    while (!ticks) sched_yield();
    return unused;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    struct itimerval every = {.it_interval = {.tv_usec = 500}, .it_value = {.tv_usec = 500}};
    pthread_t thread;
    sigaction(SIGALRM, &action, NULL);
    CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_exit(NULL);
}
