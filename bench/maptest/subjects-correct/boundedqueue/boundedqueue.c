#include "boundedqueue.h"

#include <pthread.h>
#include <stdlib.h>

struct boundedqueue {
    pthread_mutex_t lock;                 /* over all that follows */
    pthread_cond_t item_came, place_came; /* signalled once for each: one that waits goes on */
    size_t first, count, capacity;
    int items[]; /* a ring */
};

boundedqueue *boundedqueue_new(size_t capacity) {
    if (capacity == 0) capacity = 1;
    if (capacity > (size_t)-1 / sizeof(int) / 2) return NULL;
    boundedqueue *queue = calloc(1, sizeof *queue + capacity * sizeof queue->items[0]);
    if (!queue) return NULL;
    queue->capacity = capacity;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->item_came, NULL);
    pthread_cond_init(&queue->place_came, NULL);
    return queue;
}

void boundedqueue_free(boundedqueue *queue) {
    if (!queue) return;
    pthread_cond_destroy(&queue->place_came);
    pthread_cond_destroy(&queue->item_came);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

/* Locked, and there is a place. */
static void add(boundedqueue *queue, int item) {
    queue->items[(queue->first + queue->count) % queue->capacity] = item;
    queue->count++;
    pthread_cond_signal(&queue->item_came);
}

/* Locked, and there is an item. */
static int take_first(boundedqueue *queue) {
    int item = queue->items[queue->first];
    queue->first = (queue->first + 1) % queue->capacity;
    queue->count--;
    pthread_cond_signal(&queue->place_came);
    return item;
}

void boundedqueue_put(boundedqueue *queue, int item) {
    pthread_mutex_lock(&queue->lock);
    while (queue->count == queue->capacity) pthread_cond_wait(&queue->place_came, &queue->lock);
    add(queue, item);
    pthread_mutex_unlock(&queue->lock);
}

int boundedqueue_take(boundedqueue *queue) {
    pthread_mutex_lock(&queue->lock);
    while (queue->count == 0) pthread_cond_wait(&queue->item_came, &queue->lock);
    int item = take_first(queue);
    pthread_mutex_unlock(&queue->lock);
    return item;
}

bool boundedqueue_try_put(boundedqueue *queue, int item) {
    pthread_mutex_lock(&queue->lock);
    bool place = queue->count < queue->capacity;
    if (place) add(queue, item);
    pthread_mutex_unlock(&queue->lock);
    return place;
}

bool boundedqueue_try_take(boundedqueue *queue, int *item) { return boundedqueue_drain(queue, item, 1) == 1; }

size_t boundedqueue_drain(boundedqueue *queue, int *items, size_t max) {
    size_t taken = 0;
    pthread_mutex_lock(&queue->lock);
    while (taken < max && queue->count > 0) items[taken++] = take_first(queue);
    pthread_mutex_unlock(&queue->lock);
    return taken;
}

size_t boundedqueue_size(boundedqueue *queue) {
    pthread_mutex_lock(&queue->lock);
    size_t count = queue->count;
    pthread_mutex_unlock(&queue->lock);
    return count;
}

bool boundedqueue_contains(boundedqueue *queue, int item) {
    bool found = false;
    pthread_mutex_lock(&queue->lock);
    for (size_t i = 0; i < queue->count && !found; i++)
        found = queue->items[(queue->first + i) % queue->capacity] == item;
    pthread_mutex_unlock(&queue->lock);
    return found;
}
