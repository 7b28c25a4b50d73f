#include "bqueue.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct bqueue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty;
    pthread_cond_t not_full;
    bool closed;
    size_t capacity;
    size_t first;
    size_t count;
    void *items[];
};

struct bqueue *bqueue_new(size_t capacity)
{
    struct bqueue *q = malloc(sizeof *q + capacity * sizeof q->items[0]);

    if (!q)
        return NULL;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->not_empty, NULL);
    pthread_cond_init(&q->not_full, NULL);
    q->closed = false;
    q->capacity = capacity;
    q->first = q->count = 0;
    return q;
}

void bqueue_free(struct bqueue *q)
{
    pthread_cond_destroy(&q->not_full);
    pthread_cond_destroy(&q->not_empty);
    pthread_mutex_destroy(&q->lock);
    free(q);
}

/* Both with the lock held. */
static void append(struct bqueue *q, void *item)
{
    q->items[(q->first + q->count) % q->capacity] = item;
    q->count++;
    pthread_cond_signal(&q->not_empty);
}

static void *remove_first(struct bqueue *q)
{
    void *item;

    if (q->count == 0)
        return NULL;
    item = q->items[q->first];
    q->first = (q->first + 1) % q->capacity;
    q->count--;
    pthread_cond_signal(&q->not_full);
    return item;
}

bool bqueue_put(struct bqueue *q, void *item)
{
    bool open;

    pthread_mutex_lock(&q->lock);
    while (q->count == q->capacity && !q->closed)
        pthread_cond_wait(&q->not_full, &q->lock);
    open = !q->closed;
    if (open)
        append(q, item);
    pthread_mutex_unlock(&q->lock);
    return open;
}

bool bqueue_offer(struct bqueue *q, void *item)
{
    bool fits;

    pthread_mutex_lock(&q->lock);
    fits = q->count < q->capacity && !q->closed;
    if (fits)
        append(q, item);
    pthread_mutex_unlock(&q->lock);
    return fits;
}

void *bqueue_take(struct bqueue *q)
{
    void *item;

    pthread_mutex_lock(&q->lock);
    while (q->count == 0 && !q->closed)
        pthread_cond_wait(&q->not_empty, &q->lock);
    item = remove_first(q);
    pthread_mutex_unlock(&q->lock);
    return item;
}

void *bqueue_take_within(struct bqueue *q, long ms)
{
    struct timespec until;
    void *item;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += ms % 1000 * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&q->lock);
    while (q->count == 0 && !q->closed)
        if (pthread_cond_timedwait(&q->not_empty, &q->lock, &until) == ETIMEDOUT)
            break;
    item = remove_first(q);
    pthread_mutex_unlock(&q->lock);
    return item;
}

void bqueue_close(struct bqueue *q)
{
    pthread_mutex_lock(&q->lock);
    q->closed = true;
    pthread_cond_broadcast(&q->not_empty);
    pthread_cond_broadcast(&q->not_full);
    pthread_mutex_unlock(&q->lock);
}

size_t bqueue_size(struct bqueue *q)
{
    size_t count;

    pthread_mutex_lock(&q->lock);
    count = q->count;
    pthread_mutex_unlock(&q->lock);
    return count;
}
