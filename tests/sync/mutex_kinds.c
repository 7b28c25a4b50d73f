/* Mutexes of each type between threads, from static initialisers: what is left locked or counted at the end
 * of an execution must not be there in the next. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "check.h"

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t errorcheck = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t left_locked = PTHREAD_MUTEX_INITIALIZER;
static int counter, tried;

static void *work(void *unused) {
    (void)unused;
    CHECK(pthread_mutex_lock(&recursive) == 0);
    CHECK(pthread_mutex_lock(&recursive) == 0);
    counter++;
    CHECK(pthread_mutex_unlock(&recursive) == 0);
    counter++;
    CHECK(pthread_mutex_unlock(&recursive) == 0);

    CHECK(pthread_mutex_lock(&errorcheck) == 0);
    CHECK(pthread_mutex_lock(&errorcheck) == EDEADLK);
    CHECK(pthread_mutex_unlock(&errorcheck) == 0);
    int result = pthread_mutex_unlock(&errorcheck);
    CHECK(result == EPERM);

    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec += 3600;
    result = pthread_mutex_timedlock(&normal, &soon);
    CHECK(result == 0 || result == ETIMEDOUT);
    if (result == 0) {
        tried++;
        CHECK(pthread_mutex_trylock(&normal) == EBUSY);
        CHECK(pthread_mutex_unlock(&normal) == 0);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    work(NULL);
    for (int i = 0; i < 2; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(counter == 6 && tried <= 3);
    CHECK(pthread_mutex_trylock(&left_locked) == 0);
    return 0;
}
