#include "map.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 8 };

struct entry {
    struct entry *next;
    char *key;
    char *value; /* or NULL */
};

struct map {
    pthread_mutex_t lock; /* over all that follows */
    struct entry *buckets[BUCKETS];
    size_t size;
    unsigned changes;
};

struct map *map_new(void) {
    struct map *map = calloc(1, sizeof *map);
    if (map) pthread_mutex_init(&map->lock, NULL);
    return map;
}

static void free_entry(struct entry *entry) {
    free(entry->key);
    free(entry->value);
    free(entry);
}

static void drop_all(struct map *map) {
    for (size_t i = 0; i < BUCKETS; i++) {
        while (map->buckets[i]) {
            struct entry *entry = map->buckets[i];
            map->buckets[i] = entry->next;
            free_entry(entry);
        }
    }
    map->size = 0;
}

void map_free(struct map *map) {
    if (!map) return;
    drop_all(map);
    pthread_mutex_destroy(&map->lock);
    free(map);
}

static size_t hash(const char *text) {
    size_t hash = 5381;
    while (*text) hash = hash * 33 + (unsigned char)*text++;
    return hash % BUCKETS;
}

/* Where the pointer to the key's entry is, or would be. Locked. */
static struct entry **find(struct map *map, const char *key) {
    struct entry **place = &map->buckets[hash(key)];
    while (*place && strcmp((*place)->key, key) != 0) place = &(*place)->next;
    return place;
}

/* Locked. */
static bool insert(struct map *map, struct entry **place, const char *key, const char *value) {
    struct entry *entry = calloc(1, sizeof *entry);
    if (!entry) return false;
    entry->key = strdup(key);
    entry->value = value ? strdup(value) : NULL;
    if (!entry->key || (value && !entry->value)) {
        free_entry(entry);
        return false;
    }
    *place = entry;
    map->size++;
    map->changes++;
    return true;
}

bool map_put(struct map *map, const char *key, const char *value) {
    bool done = true;
    pthread_mutex_lock(&map->lock);
    struct entry **place = find(map, key);
    if (*place) {
        char *copy = value ? strdup(value) : NULL;
        if (value && !copy) {
            done = false;
        } else {
            free((*place)->value);
            (*place)->value = copy;
        }
    } else {
        done = insert(map, place, key, value);
    }
    pthread_mutex_unlock(&map->lock);
    return done;
}

bool map_put_absent(struct map *map, const char *key, const char *value) {
    pthread_mutex_lock(&map->lock);
    struct entry **place = find(map, key);
    bool done = !*place && insert(map, place, key, value);
    pthread_mutex_unlock(&map->lock);
    return done;
}

bool map_get(struct map *map, const char *key, char *buffer, size_t size) {
    pthread_mutex_lock(&map->lock);
    const struct entry *entry = *find(map, key);
    if (entry && size > 0) {
        const char *value = entry->value ? entry->value : "";
        size_t length = strlen(value) < size ? strlen(value) : size - 1;
        memcpy(buffer, value, length);
        buffer[length] = '\0';
    }
    pthread_mutex_unlock(&map->lock);
    return entry != NULL;
}

bool map_remove(struct map *map, const char *key) {
    pthread_mutex_lock(&map->lock);
    struct entry **place = find(map, key);
    struct entry *entry = *place;
    if (entry) {
        *place = entry->next;
        free_entry(entry);
        map->size--;
        map->changes++;
    }
    pthread_mutex_unlock(&map->lock);
    return entry != NULL;
}

void map_clear(struct map *map) {
    pthread_mutex_lock(&map->lock);
    drop_all(map);
    pthread_mutex_unlock(&map->lock);
}

bool map_contains_key(struct map *map, const char *key) {
    pthread_mutex_lock(&map->lock);
    bool found = *find(map, key) != NULL;
    pthread_mutex_unlock(&map->lock);
    return found;
}

bool map_contains_value(struct map *map, const char *value) {
    bool found = false;
    pthread_mutex_lock(&map->lock);
    for (size_t i = 0; i < BUCKETS && !found; i++)
        for (const struct entry *entry = map->buckets[i]; entry && !found; entry = entry->next)
            found = value && entry->value ? strcmp(entry->value, value) == 0 : value == entry->value;
    pthread_mutex_unlock(&map->lock);
    return found;
}

size_t map_size(struct map *map) {
    pthread_mutex_lock(&map->lock);
    size_t size = map->size;
    pthread_mutex_unlock(&map->lock);
    return size;
}

unsigned map_changes(struct map *map) {
    pthread_mutex_lock(&map->lock);
    unsigned changes = map->changes;
    pthread_mutex_unlock(&map->lock);
    return changes;
}

size_t map_longest(struct map *map) {
    size_t longest = 0;
    pthread_mutex_lock(&map->lock);
    for (size_t i = 0; i < BUCKETS; i++) {
        size_t length = 0;
        for (const struct entry *entry = map->buckets[i]; entry; entry = entry->next) length++;
        if (length > longest) longest = length;
    }
    pthread_mutex_unlock(&map->lock);
    return longest;
}
