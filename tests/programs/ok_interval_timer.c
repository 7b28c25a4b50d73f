/* A sampling profiler: an interval timer's signal, taken by one thread with sigwait, samples what the others do; one-shot
 * timers go to a handler. Every expiry may come at any moment: correct. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES = 2, STEPS = 3 };

static atomic_int phase; /* what the worker does, 1 to STEPS */
static atomic_bool over;
static atomic_int expired; /* one-shot timers seen by the handler */
static int histogram[STEPS + 1];

static void on_expiry(int number) {
    (void)number;
    atomic_fetch_add(&expired, 1);
}

static void *worker(void *unused) {
    (void)unused;
    for (int step = 1; step <= STEPS; step++) atomic_store(&phase, step);
    while (!atomic_load(&over)) usleep(1000);
    return NULL;
}

static void *profiler(void *set) {
    for (int i = 0; i < SAMPLES; i++) {
        int number;
        assert(sigwait(set, &number) == 0 && number == SIGALRM);
        histogram[atomic_load(&phase)]++;
    }
    return NULL;
}

static timer_t start_one_shot(long milliseconds) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
    struct itimerspec value = {.it_value = {.tv_nsec = milliseconds * 1000000}};
    timer_t timer;
    assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    assert(timer_settime(timer, 0, &value, NULL) == 0);
    return timer;
}

int main(void) {
    struct itimerval interval = {.it_interval = {.tv_usec = 5000}, .it_value = {.tv_usec = 5000}},
                     stopped = {0};
    struct sigaction action = {.sa_handler = on_expiry};
    pthread_t work, profile;
    sigset_t set;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR2, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&profile, NULL, profiler, &set);
    pthread_create(&work, NULL, worker, NULL);
    assert(setitimer(ITIMER_REAL, &interval, NULL) == 0);
    timer_t timer = start_one_shot(3);
    pthread_join(profile, NULL);
    assert(setitimer(ITIMER_REAL, &stopped, NULL) == 0);
    while (!atomic_load(&expired)) usleep(1000);
    assert(timer_delete(timer) == 0 && atomic_load(&expired) == 1);
    atomic_store(&over, 1);
    pthread_join(work, NULL);
    int samples = 0;
    for (int i = 0; i <= STEPS; i++) samples += histogram[i];
    assert(samples == SAMPLES);
    return 0;
}
