#include "syncmap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int key, value;
};

struct syncmap {
    pthread_mutex_t lock; /* over all that follows */
    struct pair *pairs;   /* sorted by key */
    size_t count, capacity;
    unsigned changes;
};

syncmap *syncmap_new(void) {
    syncmap *map = calloc(1, sizeof *map);
    if (map) pthread_mutex_init(&map->lock, NULL);
    return map;
}

void syncmap_free(syncmap *map) {
    if (!map) return;
    pthread_mutex_destroy(&map->lock);
    free(map->pairs);
    free(map);
}

/* Locked: the place of `key`, or where it would be. */
static size_t place_of(const syncmap *map, int key) {
    size_t i = 0;
    while (i < map->count && map->pairs[i].key < key) i++;
    return i;
}

static bool is_at(const syncmap *map, size_t place, int key) {
    return place < map->count && map->pairs[place].key == key;
}

/* Locked. */
static bool put(syncmap *map, int key, int value) {
    size_t place = place_of(map, key);
    if (!is_at(map, place, key)) {
        if (map->count == map->capacity) {
            size_t capacity = map->capacity ? 2 * map->capacity : 4;
            struct pair *pairs = realloc(map->pairs, capacity * sizeof *pairs);
            if (!pairs) return false;
            map->pairs = pairs;
            map->capacity = capacity;
        }
        memmove(map->pairs + place + 1, map->pairs + place, (map->count - place) * sizeof *map->pairs);
        map->count++;
    }
    map->pairs[place] = (struct pair){key, value};
    map->changes++;
    return true;
}

bool syncmap_put(syncmap *map, int key, int value) {
    pthread_mutex_lock(&map->lock);
    bool done = put(map, key, value);
    pthread_mutex_unlock(&map->lock);
    return done;
}

bool syncmap_get(syncmap *map, int key, int *value) {
    pthread_mutex_lock(&map->lock);
    size_t place = place_of(map, key);
    bool found = is_at(map, place, key);
    if (found) *value = map->pairs[place].value;
    pthread_mutex_unlock(&map->lock);
    return found;
}

bool syncmap_remove(syncmap *map, int key) {
    pthread_mutex_lock(&map->lock);
    size_t place = place_of(map, key);
    bool found = is_at(map, place, key);
    if (found) {
        map->count--;
        memmove(map->pairs + place, map->pairs + place + 1, (map->count - place) * sizeof *map->pairs);
        map->changes++;
    }
    pthread_mutex_unlock(&map->lock);
    return found;
}

size_t syncmap_size(syncmap *map) {
    pthread_mutex_lock(&map->lock);
    size_t count = map->count;
    pthread_mutex_unlock(&map->lock);
    return count;
}

void syncmap_clear(syncmap *map) {
    pthread_mutex_lock(&map->lock);
    map->count = 0;
    map->changes++;
    pthread_mutex_unlock(&map->lock);
}

unsigned syncmap_changes(syncmap *map) {
    pthread_mutex_lock(&map->lock);
    unsigned changes = map->changes;
    pthread_mutex_unlock(&map->lock);
    return changes;
}

static void lock_both(syncmap *map, syncmap *other) {
    pthread_mutex_lock(&map->lock);
    if (other != map) pthread_mutex_lock(&other->lock);
}

static void unlock_both(syncmap *map, syncmap *other) {
    if (other != map) pthread_mutex_unlock(&other->lock);
    pthread_mutex_unlock(&map->lock);
}

bool syncmap_put_all(syncmap *map, syncmap *source) {
    if (map == source) return true;
    bool done = true;
    lock_both(map, source);
    for (size_t i = 0; i < source->count && done; i++)
        done = put(map, source->pairs[i].key, source->pairs[i].value);
    unlock_both(map, source);
    return done;
}

bool syncmap_equal(syncmap *map, syncmap *other) {
    lock_both(map, other);
    bool equal = map->count == other->count;
    for (size_t i = 0; i < map->count && equal; i++)
        equal = map->pairs[i].key == other->pairs[i].key && map->pairs[i].value == other->pairs[i].value;
    unlock_both(map, other);
    return equal;
}
