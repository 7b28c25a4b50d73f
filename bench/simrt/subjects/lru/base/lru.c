#include "lru.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct slot {
    struct slot *newer, *older;
    int key, value;
};

struct lru {
    pthread_mutex_t lock; /* over the slots and lists, and what follows up to evictions */
    struct slot slots[LRU_MOST];
    struct slot *spare; /* linked by older */
    struct slot *newest, *oldest;
    size_t size, capacity;
    unsigned long evictions;
    atomic_ulong hits, misses;
};

/* Locked. */
static void spare_all(struct lru *cache) {
    cache->newest = cache->oldest = cache->spare = NULL;
    for (size_t i = 0; i < LRU_MOST; i++) {
        cache->slots[i].older = cache->spare;
        cache->spare = &cache->slots[i];
    }
    cache->size = 0;
}

struct lru *lru_new(size_t capacity) {
    struct lru *cache = calloc(1, sizeof *cache);
    if (!cache) return NULL;
    pthread_mutex_init(&cache->lock, NULL);
    cache->capacity = capacity < LRU_MOST ? capacity : LRU_MOST;
    spare_all(cache);
    return cache;
}

void lru_free(struct lru *cache) {
    if (!cache) return;
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

/* Locked. */
static void unlink_slot(struct lru *cache, struct slot *slot) {
    *(slot->newer ? &slot->newer->older : &cache->newest) = slot->older;
    *(slot->older ? &slot->older->newer : &cache->oldest) = slot->newer;
    cache->size--;
}

/* Locked. */
static void link_newest(struct lru *cache, struct slot *slot) {
    slot->newer = NULL;
    slot->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = slot;
    cache->newest = slot;
    cache->size++;
}

/* Locked. */
static void drop(struct lru *cache, struct slot *slot) {
    unlink_slot(cache, slot);
    slot->older = cache->spare;
    cache->spare = slot;
}

/* Locked. */
static struct slot *find(const struct lru *cache, int key) {
    struct slot *slot = cache->newest;
    while (slot && slot->key != key) slot = slot->older;
    return slot;
}

/* Locked. */
static void shrink_to(struct lru *cache, size_t size) {
    while (cache->size > size) {
        drop(cache, cache->oldest);
        cache->evictions++;
    }
}

bool lru_get(struct lru *cache, int key, int *value) {
    pthread_mutex_lock(&cache->lock);
    struct slot *slot = find(cache, key);
    if (slot) {
        unlink_slot(cache, slot);
        link_newest(cache, slot);
        *value = slot->value;
    }
    pthread_mutex_unlock(&cache->lock);
    if (slot)
        cache->hits++;
    else
        cache->misses++;
    return slot != NULL;
}

bool lru_peek(struct lru *cache, int key, int *value) {
    pthread_mutex_lock(&cache->lock);
    const struct slot *slot = find(cache, key);
    if (slot) *value = slot->value;
    pthread_mutex_unlock(&cache->lock);
    return slot != NULL;
}

void lru_put(struct lru *cache, int key, int value) {
    pthread_mutex_lock(&cache->lock);
    struct slot *slot = find(cache, key);
    if (slot) {
        unlink_slot(cache, slot);
    } else if (cache->capacity > 0) {
        shrink_to(cache, cache->capacity - 1);
        slot = cache->spare;
        cache->spare = slot->older;
    }
    if (slot) {
        slot->key = key;
        slot->value = value;
        link_newest(cache, slot);
    }
    pthread_mutex_unlock(&cache->lock);
}

bool lru_remove(struct lru *cache, int key) {
    pthread_mutex_lock(&cache->lock);
    struct slot *slot = find(cache, key);
    if (slot) drop(cache, slot);
    pthread_mutex_unlock(&cache->lock);
    return slot != NULL;
}

void lru_clear(struct lru *cache) {
    pthread_mutex_lock(&cache->lock);
    spare_all(cache);
    pthread_mutex_unlock(&cache->lock);
}

bool lru_oldest(struct lru *cache, int *key) {
    pthread_mutex_lock(&cache->lock);
    bool some = cache->oldest != NULL;
    if (some) *key = cache->oldest->key;
    pthread_mutex_unlock(&cache->lock);
    return some;
}

size_t lru_size(struct lru *cache) {
    pthread_mutex_lock(&cache->lock);
    size_t size = cache->size;
    pthread_mutex_unlock(&cache->lock);
    return size;
}

size_t lru_capacity(const struct lru *cache) { return cache->capacity; }

void lru_resize(struct lru *cache, size_t capacity) {
    pthread_mutex_lock(&cache->lock);
    cache->capacity = capacity < LRU_MOST ? capacity : LRU_MOST;
    shrink_to(cache, cache->capacity);
    pthread_mutex_unlock(&cache->lock);
}

unsigned lru_hit_rate(struct lru *cache) {
    unsigned long hits = cache->hits, all = hits + cache->misses;
    return all > 0 ? (unsigned)(hits * 100 / all) : 100;
}

unsigned long lru_evictions(struct lru *cache) {
    pthread_mutex_lock(&cache->lock);
    unsigned long evictions = cache->evictions;
    pthread_mutex_unlock(&cache->lock);
    return evictions;
}
