/* Cancellation: disabled and enabled again, deferred and asynchronous, of itself, of a thread that is over, twice,
 * during clean-up; and what is not a cancellation point. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "check.h"

static sem_t asked, ready;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int reached;

static void set_state(int state, int expected) {
    int old = -1;
    CHECK(pthread_setcancelstate(state, &old) == 0 && old == expected);
}

static void *disabled(void *unused) {
    set_state(PTHREAD_CANCEL_DISABLE, PTHREAD_CANCEL_ENABLE);
    sem_post(&ready);
    sem_wait(&asked);
    pthread_testcancel();
    reached = 1;
    set_state(PTHREAD_CANCEL_ENABLE, PTHREAD_CANCEL_DISABLE);
    reached = 2; /* deferred: not yet */
    pthread_testcancel();
    reached = 3;
    return unused;
}

static void *not_a_point(void *unused) {
    sem_post(&ready);
    while (sem_trywait(&asked)) sched_yield();
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    sem_post(&ready);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
    reached = 1;
    pthread_testcancel();
    reached = 2;
    return unused;
}

static void *asynchronous(void *unused) {
    int old;
    CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0 && old == PTHREAD_CANCEL_DEFERRED);
    sem_post(&ready);
    for (;;) sched_yield(); /* no cancellation point */
    return unused;
}

static void *becomes_asynchronous(void *unused) {
    sem_post(&ready);
    while (sem_trywait(&asked)) sched_yield();
    reached = 1;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    reached = 2;
    return unused;
}

static void point_in_cleanup(void *unused) {
    (void)unused;
    pthread_testcancel(); /* the thread is being cancelled: nothing happens */
    sem_wait(&asked);
    reached = 5;
}

static void *cleaned(void *unused) {
    pthread_cleanup_push(point_in_cleanup, NULL);
    sem_post(&ready);
    for (;;) pthread_testcancel();
    pthread_cleanup_pop(0);
    return unused;
}

static void *itself(void *unused) {
    CHECK(pthread_cancel(pthread_self()) == 0);
    reached = 1;
    pthread_testcancel();
    reached = 2;
    return unused;
}

static void *over(void *value) { return value; }

static void cancel(void *(*body)(void *), int expected) {
    pthread_t thread;
    void *result;
    reached = 0;
    CHECK(pthread_create(&thread, NULL, body, NULL) == 0);
    sem_wait(&ready);
    CHECK(pthread_cancel(thread) == 0 && pthread_cancel(thread) == 0);
    sem_post(&asked);
    CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    CHECK(reached == expected);
}

int main(void) {
    pthread_t thread;
    void *result;
    sem_init(&asked, 0, 0);
    sem_init(&ready, 0, 0);
    CHECK(pthread_setcancelstate(17, NULL) == EINVAL && pthread_setcanceltype(17, NULL) == EINVAL);
    cancel(disabled, 2);
    cancel(not_a_point, 1);
    CHECK(sem_trywait(&ready) == 0);
    cancel(asynchronous, 0);
    CHECK(sem_trywait(&asked) == 0);
    cancel(becomes_asynchronous, 1);
    cancel(cleaned, 5);
    reached = 0;
    CHECK(pthread_create(&thread, NULL, itself, NULL) == 0);
    CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED && reached == 1);
    CHECK(pthread_create(&thread, NULL, over, &mutex) == 0);
    while (pthread_tryjoin_np(thread, &result) == EBUSY) sched_yield();
    CHECK(result == &mutex);
    return 0;
}
