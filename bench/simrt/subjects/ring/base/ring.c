#include "ring.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct ring {
    pthread_mutex_t lock; /* over all that follows but closed, which is set under it and read anywhere */
    pthread_cond_t filled;
    size_t capacity, first, count;
    size_t high;
    unsigned long dropped;
    atomic_bool closed;
    int items[];
};

struct ring *ring_new(size_t capacity) {
    struct ring *ring = calloc(1, sizeof *ring + capacity * sizeof ring->items[0]);
    if (!ring) return NULL;
    ring->capacity = capacity;
    pthread_mutex_init(&ring->lock, NULL);
    pthread_cond_init(&ring->filled, NULL);
    return ring;
}

void ring_free(struct ring *ring) {
    if (!ring) return;
    pthread_cond_destroy(&ring->filled);
    pthread_mutex_destroy(&ring->lock);
    free(ring);
}

/* Locked; there is room. */
static void append(struct ring *ring, int item) {
    ring->items[(ring->first + ring->count) % ring->capacity] = item;
    ring->count++;
}

/* Locked; there is an item. */
static int take_first(struct ring *ring) {
    int item = ring->items[ring->first];
    ring->first = (ring->first + 1) % ring->capacity;
    ring->count--;
    return item;
}

bool ring_push(struct ring *ring, int item) {
    if (ring->closed) return false;
    pthread_mutex_lock(&ring->lock);
    bool room = ring->count < ring->capacity && !ring->closed;
    if (room) {
        append(ring, item);
        if (ring->count > ring->high) ring->high = ring->count;
        pthread_cond_signal(&ring->filled);
    }
    pthread_mutex_unlock(&ring->lock);
    return room;
}

bool ring_push_over(struct ring *ring, int item) {
    pthread_mutex_lock(&ring->lock);
    bool open = !ring->closed;
    if (open) {
        if (ring->count == ring->capacity) {
            take_first(ring);
            ring->dropped++;
        }
        append(ring, item);
        if (ring->count > ring->high) ring->high = ring->count;
        pthread_cond_signal(&ring->filled);
    }
    pthread_mutex_unlock(&ring->lock);
    return open;
}

bool ring_pop(struct ring *ring, int *item) {
    pthread_mutex_lock(&ring->lock);
    bool some = ring->count > 0;
    if (some) *item = take_first(ring);
    pthread_mutex_unlock(&ring->lock);
    return some;
}

bool ring_pop_wait(struct ring *ring, int *item) {
    pthread_mutex_lock(&ring->lock);
    while (ring->count == 0 && !ring->closed) pthread_cond_wait(&ring->filled, &ring->lock);
    bool some = ring->count > 0;
    if (some) *item = take_first(ring);
    pthread_mutex_unlock(&ring->lock);
    return some;
}

bool ring_peek(struct ring *ring, int *item) {
    pthread_mutex_lock(&ring->lock);
    bool some = ring->count > 0;
    if (some) *item = ring->items[ring->first];
    pthread_mutex_unlock(&ring->lock);
    return some;
}

size_t ring_drain(struct ring *ring, int *items, size_t most) {
    size_t taken = 0;
    pthread_mutex_lock(&ring->lock);
    while (taken < most && ring->count > 0) items[taken++] = take_first(ring);
    pthread_mutex_unlock(&ring->lock);
    return taken;
}

void ring_close(struct ring *ring) {
    pthread_mutex_lock(&ring->lock);
    ring->closed = true;
    pthread_cond_broadcast(&ring->filled);
    pthread_mutex_unlock(&ring->lock);
}

bool ring_is_closed(struct ring *ring) { return ring->closed; }

size_t ring_count(struct ring *ring) {
    pthread_mutex_lock(&ring->lock);
    size_t count = ring->count;
    pthread_mutex_unlock(&ring->lock);
    return count;
}

size_t ring_high(struct ring *ring) {
    pthread_mutex_lock(&ring->lock);
    size_t high = ring->high;
    pthread_mutex_unlock(&ring->lock);
    return high;
}

void ring_reset_high(struct ring *ring) {
    pthread_mutex_lock(&ring->lock);
    ring->high = ring->count;
    pthread_mutex_unlock(&ring->lock);
}

unsigned long ring_dropped(struct ring *ring) {
    pthread_mutex_lock(&ring->lock);
    unsigned long dropped = ring->dropped;
    pthread_mutex_unlock(&ring->lock);
    return dropped;
}
