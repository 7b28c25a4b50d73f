#include "cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct slot {
    bool full;
    char key[CODEC_KEY + 1];
    char value[CODEC_VALUE + 1];
    unsigned long misses;
};

struct cache {
    pthread_mutex_t lock; /* over all that follows */
    unsigned version;
    unsigned long hits, misses;
    struct slot slots[CACHE_SLOTS];
};

cache *cache_new(void) {
    cache *values = calloc(1, sizeof *values);
    if (values) pthread_mutex_init(&values->lock, NULL);
    return values;
}

void cache_free(cache *values) {
    if (!values) return;
    pthread_mutex_destroy(&values->lock);
    free(values);
}

static struct slot *slot_of(cache *values, const char *key) {
    unsigned hash = 7;
    while (*key) hash = hash * 5 + (unsigned char)*key++;
    return &values->slots[hash % CACHE_SLOTS];
}

/* Locked. */
static void note_miss(cache *values, struct slot *slot) {
    slot->misses++;
    values->misses++;
}

bool cache_get(cache *values, const char *key, char value[CODEC_VALUE + 1]) {
    struct slot *slot = slot_of(values, key);
    pthread_mutex_lock(&values->lock);
    bool hit = slot->full && strcmp(slot->key, key) == 0;
    if (hit) {
        memcpy(value, slot->value, sizeof slot->value);
        values->hits++;
    } else {
        note_miss(values, slot);
    }
    pthread_mutex_unlock(&values->lock);
    return hit;
}

void cache_note_absent(cache *values, const char *key) { note_miss(values, slot_of(values, key)); }

unsigned cache_version(cache *values) {
    pthread_mutex_lock(&values->lock);
    unsigned version = values->version;
    pthread_mutex_unlock(&values->lock);
    return version;
}

void cache_put(cache *values, const char *key, const char *value, unsigned version) {
    struct slot *slot = slot_of(values, key);
    pthread_mutex_lock(&values->lock);
    if (version == values->version) {
        slot->full = true;
        memcpy(slot->key, key, strlen(key) + 1);
        memcpy(slot->value, value, strlen(value) + 1);
    }
    pthread_mutex_unlock(&values->lock);
}

void cache_drop(cache *values, const char *key) {
    struct slot *slot = slot_of(values, key);
    pthread_mutex_lock(&values->lock);
    values->version++;
    if (slot->full && strcmp(slot->key, key) == 0) slot->full = false;
    pthread_mutex_unlock(&values->lock);
}

void cache_clear(cache *values) {
    pthread_mutex_lock(&values->lock);
    values->version++;
    for (size_t i = 0; i < CACHE_SLOTS; i++) values->slots[i].full = false;
    pthread_mutex_unlock(&values->lock);
}

unsigned cache_hit_rate(cache *values) {
    pthread_mutex_lock(&values->lock);
    unsigned long all = values->hits + values->misses;
    unsigned rate = all > 0 ? (unsigned)(values->hits * 100 / all) : 0;
    pthread_mutex_unlock(&values->lock);
    return rate;
}

unsigned cache_worst(cache *values) {
    unsigned most = 0;
    pthread_mutex_lock(&values->lock);
    for (unsigned i = 1; i < CACHE_SLOTS; i++)
        if (values->slots[i].misses > values->slots[most].misses) most = i;
    pthread_mutex_unlock(&values->lock);
    return most;
}
