#include "bqueue.h"

#include <pthread.h>
#include <stdlib.h>

struct bqueue {
    pthread_mutex_t lock; /* over all that follows */
    pthread_cond_t item_came, place_came;
    int *items; /* a ring */
    size_t first, count, capacity;
};

bqueue *bqueue_new(size_t capacity) {
    bqueue *queue = calloc(1, sizeof *queue);
    if (!queue) return NULL;
    if (capacity == 0) capacity = 1;
    queue->items = calloc(capacity, sizeof *queue->items);
    if (!queue->items) {
        free(queue);
        return NULL;
    }
    queue->capacity = capacity;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->item_came, NULL);
    pthread_cond_init(&queue->place_came, NULL);
    return queue;
}

void bqueue_free(bqueue *queue) {
    if (!queue) return;
    pthread_cond_destroy(&queue->place_came);
    pthread_cond_destroy(&queue->item_came);
    pthread_mutex_destroy(&queue->lock);
    free(queue->items);
    free(queue);
}

/* Locked, and there is a place. */
static void add(bqueue *queue, int item) {
    queue->items[(queue->first + queue->count) % queue->capacity] = item;
    queue->count++;
    pthread_cond_signal(&queue->item_came);
}

/* Locked, and there is an item. */
static int take_first(bqueue *queue) {
    int item = queue->items[queue->first];
    queue->first = (queue->first + 1) % queue->capacity;
    queue->count--;
    pthread_cond_signal(&queue->place_came);
    return item;
}

void bqueue_put(bqueue *queue, int item) {
    pthread_mutex_lock(&queue->lock);
    while (queue->count == queue->capacity) pthread_cond_wait(&queue->place_came, &queue->lock);
    add(queue, item);
    pthread_mutex_unlock(&queue->lock);
}

bool bqueue_try_put(bqueue *queue, int item) {
    pthread_mutex_lock(&queue->lock);
    bool place = queue->count < queue->capacity;
    if (place) add(queue, item);
    pthread_mutex_unlock(&queue->lock);
    return place;
}

bool bqueue_try_take(bqueue *queue, int *item) {
    pthread_mutex_lock(&queue->lock);
    bool some = queue->count > 0;
    if (some) *item = take_first(queue);
    pthread_mutex_unlock(&queue->lock);
    return some;
}

int bqueue_take(bqueue *queue) {
    int item;
    while (!bqueue_try_take(queue, &item)) {
        pthread_mutex_lock(&queue->lock);
        pthread_cond_wait(&queue->item_came, &queue->lock);
        pthread_mutex_unlock(&queue->lock);
    }
    return item;
}

bool bqueue_peek(bqueue *queue, int *item) {
    pthread_mutex_lock(&queue->lock);
    bool some = queue->count > 0;
    if (some) *item = queue->items[queue->first];
    pthread_mutex_unlock(&queue->lock);
    return some;
}

size_t bqueue_size(bqueue *queue) {
    pthread_mutex_lock(&queue->lock);
    size_t count = queue->count;
    pthread_mutex_unlock(&queue->lock);
    return count;
}

size_t bqueue_clear(bqueue *queue) {
    pthread_mutex_lock(&queue->lock);
    size_t count = queue->count;
    queue->first = queue->count = 0;
    pthread_cond_broadcast(&queue->place_came);
    pthread_mutex_unlock(&queue->lock);
    return count;
}
