#include "future.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct future {
    pthread_mutex_t lock;
    pthread_cond_t done_cond;
    bool done;
    int error;
    long value;
    int references;
    future_callback_t callback;
    void *user;
};

future_t *future_create(void) {
    future_t *future = calloc(1, sizeof(*future));
    if (future == NULL) {
        return NULL;
    }
    pthread_mutex_init(&future->lock, NULL);
    pthread_cond_init(&future->done_cond, NULL);
    future->references = 1;
    return future;
}

void future_ref(future_t *future) {
    pthread_mutex_lock(&future->lock);
    future->references++;
    pthread_mutex_unlock(&future->lock);
}

void future_unref(future_t *future) {
    pthread_mutex_lock(&future->lock);
    int left = --future->references;
    pthread_mutex_unlock(&future->lock);
    if (left == 0) {
        pthread_cond_destroy(&future->done_cond);
        pthread_mutex_destroy(&future->lock);
        free(future);
    }
}

static bool complete(future_t *future, int error, long value) {
    pthread_mutex_lock(&future->lock);
    if (future->done) {
        pthread_mutex_unlock(&future->lock);
        return false;
    }
    future->done = true;
    future->error = error;
    future->value = value;
    future_callback_t callback = future->callback;
    void *user = future->user;
    pthread_cond_broadcast(&future->done_cond);
    pthread_mutex_unlock(&future->lock);
    if (callback != NULL) {
        callback(error, value, user);
    }
    return true;
}

bool future_set(future_t *future, long value) { return complete(future, 0, value); }

bool future_fail(future_t *future, int error) { return complete(future, error, 0); }

int future_get(future_t *future, long *value) {
    pthread_mutex_lock(&future->lock);
    while (!future->done) {
        pthread_cond_wait(&future->done_cond, &future->lock);
    }
    int error = future->error;
    if (error == 0) {
        *value = future->value;
    }
    pthread_mutex_unlock(&future->lock);
    return error;
}

int future_get_within(future_t *future, long *value, int ms) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (ms % 1000) * 1000000L;
    until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;

    int error = 0;
    pthread_mutex_lock(&future->lock);
    while (!future->done && error == 0) {
        error = pthread_cond_timedwait(&future->done_cond, &future->lock, &until);
    }
    if (future->done) {
        error = future->error;
        if (error == 0) {
            *value = future->value;
        }
    }
    pthread_mutex_unlock(&future->lock);
    return error;
}

bool future_is_done(future_t *future) {
    pthread_mutex_lock(&future->lock);
    bool done = future->done;
    pthread_mutex_unlock(&future->lock);
    return done;
}

bool future_then(future_t *future, future_callback_t callback, void *user) {
    pthread_mutex_lock(&future->lock);
    if (future->callback != NULL) {
        pthread_mutex_unlock(&future->lock);
        return false;
    }
    future->callback = callback;
    future->user = user;
    bool done = future->done;
    int error = future->error;
    long value = future->value;
    pthread_mutex_unlock(&future->lock);
    if (done) {
        callback(error, value, user);
    }
    return true;
}
