/* Create, join in all its forms, detach: results and error returns, the same as glibc gives. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <time.h>

#include "check.h"

static sem_t gate, passed;
static const struct timespec past = {.tv_sec = 1}, far = {.tv_sec = INT32_MAX};

static void *give_back(void *value) { return value; }

static void *wait_at_gate(void *value) {
    sem_wait(&gate);
    sem_post(&passed);
    return value;
}

static void *exit_early(void *value) {
    pthread_exit(value);
    return NULL;
}

static void *detach_itself(void *value) {
    CHECK(pthread_detach(pthread_self()) == 0);
    sem_post(&passed);
    return value;
}

static void results(void) {
    pthread_t threads[3];
    void *result;
    for (intptr_t i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, i == 1 ? exit_early : give_back, (void *)(i + 7)) == 0);
    for (intptr_t i = 2; i >= 0; i--) {
        CHECK(!pthread_equal(threads[i], pthread_self()));
        CHECK(pthread_join(threads[i], &result) == 0 && result == (void *)(i + 7));
    }
    CHECK(pthread_create(&threads[0], NULL, give_back, NULL) == 0 && pthread_join(threads[0], NULL) == 0);
}

static void not_over_yet(void) {
    pthread_t thread;
    void *result = &thread;
    struct timespec soon = {.tv_nsec = 1};
    CHECK(pthread_create(&thread, NULL, wait_at_gate, &gate) == 0);
    CHECK(pthread_tryjoin_np(thread, &result) == EBUSY);
    CHECK(pthread_timedjoin_np(thread, &result, &past) == ETIMEDOUT);
    CHECK(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
    CHECK(pthread_clockjoin_np(thread, &result, CLOCK_PROCESS_CPUTIME_ID, &far) == EINVAL);
    CHECK(result == &thread); /* untouched by failures */
    sem_post(&gate);
    sem_wait(&passed);
    CHECK(pthread_join(thread, &result) == 0 && result == &gate);
}

static void already_over(void) {
    pthread_t thread;
    void *result;
    CHECK(pthread_create(&thread, NULL, give_back, &gate) == 0);
    int error;
    while ((error = pthread_tryjoin_np(thread, &result)) == EBUSY) sched_yield();
    CHECK(error == 0 && result == &gate);
    CHECK(pthread_create(&thread, NULL, give_back, &passed) == 0);
    /* Under a free schedule time may run out at any moment. */
    do error = pthread_clockjoin_np(thread, &result, CLOCK_REALTIME, &far);
    while (error == ETIMEDOUT);
    CHECK(error == 0 && result == &passed);
    CHECK(pthread_create(&thread, NULL, give_back, &passed) == 0);
    CHECK(pthread_timedjoin_np(thread, &result, NULL) == 0 && result == &passed);
}

static void detached(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    CHECK(pthread_create(&thread, &attributes, wait_at_gate, NULL) == 0);
    pthread_attr_destroy(&attributes);
    sem_post(&gate);
    sem_wait(&passed);
    CHECK(pthread_create(&thread, NULL, detach_itself, NULL) == 0);
    sem_wait(&passed);
    CHECK(pthread_create(&thread, NULL, wait_at_gate, NULL) == 0);
    CHECK(pthread_detach(thread) == 0);
    sem_post(&gate);
    sem_wait(&passed);
}

static void itself(void) {
    CHECK(pthread_join(pthread_self(), NULL) == EDEADLK);
    CHECK(pthread_tryjoin_np(pthread_self(), NULL) == EBUSY);
}

int main(void) {
    sem_init(&gate, 0, 0);
    sem_init(&passed, 0, 0);
    results();
    not_over_yet();
    already_over();
    detached();
    itself();
    return 0;
}
