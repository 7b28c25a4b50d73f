/* A timer that notifies by a thread: each expiry runs the function in a thread of its own. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "check.h"

static pthread_t main_thread;
static sem_t notified;
static atomic_int calls;

static void notify(union sigval value) {
    CHECK(value.sival_ptr == &notified);
    CHECK(!pthread_equal(pthread_self(), main_thread));
    atomic_fetch_add(&calls, 1);
    sem_post(&notified);
}

int main(void) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = notify};
    struct itimerspec every = {.it_value = {.tv_nsec = 1000000}, .it_interval = {.tv_nsec = 1000000}};
    timer_t timer;
    main_thread = pthread_self();
    sem_init(&notified, 0, 0);
    event.sigev_value.sival_ptr = &notified;
    CHECK(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
    CHECK(timer_settime(timer, 0, &every, NULL) == 0);
    for (int i = 0; i < 2; i++) CHECK(sem_wait(&notified) == 0);
    CHECK(timer_delete(timer) == 0);
    CHECK(atomic_load(&calls) >= 2);
    return 0;
}
