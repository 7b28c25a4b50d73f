/* A thread dies with a robust mutex; whoever comes next repairs what it protects. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>

#include "check.h"

static pthread_mutex_t mutex;
static int from, to = 10, repairs;

static void *transfer_and_die(void *unused) {
    (void)unused;
    int result = pthread_mutex_lock(&mutex);
    if (result == EOWNERDEAD) {
        to = 10 - from;
        repairs++;
        CHECK(pthread_mutex_consistent(&mutex) == 0);
    } else {
        CHECK(result == 0);
    }
    CHECK(from + to == 10);
    from++;
    return NULL; /* half-way, and with the lock */
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t threads[3];
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    CHECK(pthread_mutex_init(&mutex, &attributes) == 0);
    for (int i = 0; i < 3; i++) CHECK(pthread_create(&threads[i], NULL, transfer_and_die, NULL) == 0);
    for (int i = 0; i < 3; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(repairs == 2 && from == 3);
    CHECK(pthread_mutex_lock(&mutex) == EOWNERDEAD);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
    return 0;
}
