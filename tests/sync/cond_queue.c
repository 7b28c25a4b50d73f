/* A bounded queue with two conditions, a consumer that gives up by time now and then, and the end told by
 * broadcast; the conditions are destroyed as soon as nobody waits. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "check.h"

enum { ROOM = 2, ITEMS = 5 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty;
static int queue[ROOM], used, sum;
static bool closed;

static int take(void) {
    int item = queue[0];
    for (int i = 1; i < used; i++) queue[i - 1] = queue[i];
    used--;
    pthread_cond_signal(&not_full);
    return item;
}

static void *consume(void *unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
    for (;;) {
        while (!used && !closed) {
            struct timespec until;
            clock_gettime(CLOCK_MONOTONIC, &until);
            until.tv_sec += 60;
            int result = pthread_cond_timedwait(&not_empty, &mutex, &until);
            CHECK(result == 0 || result == ETIMEDOUT);
        }
        if (!used) break;
        sum += take();
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_condattr_t attributes;
    pthread_t consumers[2];
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&not_empty, &attributes);
    for (int i = 0; i < 2; i++) pthread_create(&consumers[i], NULL, consume, NULL);
    for (int i = 1; i <= ITEMS; i++) {
        pthread_mutex_lock(&mutex);
        while (used == ROOM) CHECK(pthread_cond_wait(&not_full, &mutex) == 0);
        queue[used++] = i;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    closed = true;
    pthread_cond_broadcast(&not_empty);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 2; i++) pthread_join(consumers[i], NULL);
    CHECK(sum == ITEMS * (ITEMS + 1) / 2);
    CHECK(pthread_cond_destroy(&not_empty) == 0 && pthread_cond_destroy(&not_full) == 0);
    CHECK(pthread_mutex_destroy(&mutex) == 0);
    return 0;
}
