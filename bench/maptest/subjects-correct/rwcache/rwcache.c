#include "rwcache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Using an entry means to give it the next number of a clock, which readers do with nothing but the read lock. A reader that is late
 * must not make an entry older than a later one has made it: numbers of an entry only grow. So they are as if each reader
 * had used its entry at the moment at which it took its number. What compares numbers has the write lock: none is on its way. */
struct entry {
    int key, value;
    atomic_ulong used;
};

struct rwcache {
    pthread_rwlock_t lock; /* over all that follows, but not numbers and clock */
    struct entry entries[RWCACHE_MAX];
    size_t size, capacity;
    atomic_ulong clock;
};

rwcache *rwcache_new(size_t capacity) {
    rwcache *cache = calloc(1, sizeof *cache);
    if (!cache) return NULL;
    cache->capacity = capacity < 1 ? 1 : capacity > RWCACHE_MAX ? RWCACHE_MAX : capacity;
    pthread_rwlock_init(&cache->lock, NULL);
    return cache;
}

void rwcache_free(rwcache *cache) {
    if (!cache) return;
    pthread_rwlock_destroy(&cache->lock);
    free(cache);
}

/* Locked. */
static struct entry *find(rwcache *cache, int key) {
    for (size_t i = 0; i < cache->size; i++)
        if (cache->entries[i].key == key) return &cache->entries[i];
    return NULL;
}

/* Locked. */
static void use(rwcache *cache, struct entry *entry) {
    unsigned long now = atomic_fetch_add(&cache->clock, 1) + 1, used = entry->used;
    while (used < now && !atomic_compare_exchange_weak(&entry->used, &used, now)) continue;
}

/* Write-locked, and not empty. */
static struct entry *oldest(rwcache *cache) {
    struct entry *found = &cache->entries[0];
    for (size_t i = 1; i < cache->size; i++)
        if (cache->entries[i].used < found->used) found = &cache->entries[i];
    return found;
}

/* Write-locked. */
static void drop(rwcache *cache, struct entry *entry) {
    const struct entry *last = &cache->entries[--cache->size];
    entry->key = last->key;
    entry->value = last->value;
    entry->used = last->used;
}

bool rwcache_get(rwcache *cache, int key, int *value) {
    pthread_rwlock_rdlock(&cache->lock);
    struct entry *entry = find(cache, key);
    if (entry) {
        *value = entry->value;
        use(cache, entry);
    }
    pthread_rwlock_unlock(&cache->lock);
    return entry != NULL;
}

bool rwcache_peek(rwcache *cache, int key, int *value) {
    pthread_rwlock_rdlock(&cache->lock);
    const struct entry *entry = find(cache, key);
    if (entry) *value = entry->value;
    pthread_rwlock_unlock(&cache->lock);
    return entry != NULL;
}

void rwcache_put(rwcache *cache, int key, int value) {
    pthread_rwlock_wrlock(&cache->lock);
    struct entry *entry = find(cache, key);
    if (!entry) {
        if (cache->size == cache->capacity) drop(cache, oldest(cache));
        entry = &cache->entries[cache->size++];
        entry->key = key;
        entry->used = 0;
    }
    entry->value = value;
    use(cache, entry);
    pthread_rwlock_unlock(&cache->lock);
}

bool rwcache_remove(rwcache *cache, int key) {
    pthread_rwlock_wrlock(&cache->lock);
    struct entry *entry = find(cache, key);
    if (entry) drop(cache, entry);
    pthread_rwlock_unlock(&cache->lock);
    return entry != NULL;
}

size_t rwcache_size(rwcache *cache) {
    pthread_rwlock_rdlock(&cache->lock);
    size_t size = cache->size;
    pthread_rwlock_unlock(&cache->lock);
    return size;
}

bool rwcache_oldest(rwcache *cache, int *key) {
    pthread_rwlock_wrlock(&cache->lock);
    bool some = cache->size > 0;
    if (some) *key = oldest(cache)->key;
    pthread_rwlock_unlock(&cache->lock);
    return some;
}
