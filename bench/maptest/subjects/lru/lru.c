#include "lru.h"

#include <pthread.h>
#include <stdlib.h>

struct entry {
    struct entry *newer, *older;
    int key, value;
};

struct lru {
    pthread_rwlock_t lock; /* over all that follows */
    struct entry *newest, *oldest;
    size_t size, capacity;
};

lru *lru_new(size_t capacity) {
    lru *cache = calloc(1, sizeof *cache);
    if (!cache) return NULL;
    cache->capacity = capacity > 0 ? capacity : 1;
    pthread_rwlock_init(&cache->lock, NULL);
    return cache;
}

/* Write-locked. */
static void unlink_entry(lru *cache, struct entry *entry) {
    *(entry->newer ? &entry->newer->older : &cache->newest) = entry->older;
    *(entry->older ? &entry->older->newer : &cache->oldest) = entry->newer;
    cache->size--;
}

/* Write-locked. */
static void link_newest(lru *cache, struct entry *entry) {
    entry->newer = NULL;
    entry->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = entry;
    cache->newest = entry;
    cache->size++;
}

/* Write-locked. */
static void drop(lru *cache, struct entry *entry) {
    unlink_entry(cache, entry);
    free(entry);
}

void lru_free(lru *cache) {
    if (!cache) return;
    while (cache->oldest) drop(cache, cache->oldest);
    pthread_rwlock_destroy(&cache->lock);
    free(cache);
}

/* Locked. */
static struct entry *find(const lru *cache, int key) {
    struct entry *entry = cache->newest;
    while (entry && entry->key != key) entry = entry->older;
    return entry;
}

bool lru_get(lru *cache, int key, int *value) {
    pthread_rwlock_rdlock(&cache->lock);
    struct entry *entry = find(cache, key);
    if (entry) *value = entry->value;
    bool is_newest = entry == cache->newest;
    pthread_rwlock_unlock(&cache->lock);
    if (entry && !is_newest) {
        pthread_rwlock_wrlock(&cache->lock);
        unlink_entry(cache, entry);
        link_newest(cache, entry);
        pthread_rwlock_unlock(&cache->lock);
    }
    return entry != NULL;
}

bool lru_peek(lru *cache, int key, int *value) {
    pthread_rwlock_rdlock(&cache->lock);
    struct entry *entry = find(cache, key);
    if (entry) *value = entry->value;
    pthread_rwlock_unlock(&cache->lock);
    return entry != NULL;
}

bool lru_put(lru *cache, int key, int value) {
    struct entry *fresh = malloc(sizeof *fresh);
    if (!fresh) return false;
    *fresh = (struct entry){.key = key, .value = value};
    pthread_rwlock_wrlock(&cache->lock);
    struct entry *present = find(cache, key);
    if (present) drop(cache, present);
    if (cache->size == cache->capacity) drop(cache, cache->oldest);
    link_newest(cache, fresh);
    pthread_rwlock_unlock(&cache->lock);
    return true;
}

bool lru_remove(lru *cache, int key) {
    pthread_rwlock_wrlock(&cache->lock);
    struct entry *entry = find(cache, key);
    if (entry) drop(cache, entry);
    pthread_rwlock_unlock(&cache->lock);
    return entry != NULL;
}

size_t lru_size(lru *cache) {
    pthread_rwlock_rdlock(&cache->lock);
    size_t size = cache->size;
    pthread_rwlock_unlock(&cache->lock);
    return size;
}

bool lru_oldest(lru *cache, int *key) {
    pthread_rwlock_rdlock(&cache->lock);
    bool some = cache->oldest != NULL;
    if (some) *key = cache->oldest->key;
    pthread_rwlock_unlock(&cache->lock);
    return some;
}

void lru_clear(lru *cache) {
    pthread_rwlock_wrlock(&cache->lock);
    while (cache->oldest) drop(cache, cache->oldest);
    pthread_rwlock_unlock(&cache->lock);
}
