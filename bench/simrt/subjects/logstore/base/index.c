#include "index.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum place_state { EMPTY, TAKEN, GONE };

struct place {
    enum place_state state;
    char key[CODEC_KEY + 1];
    location at;
};

struct key_index {
    atomic_uint longest;
    pthread_rwlock_t lock; /* over what follows */
    size_t count;
    struct place places[INDEX_PLACES];
};

key_index *index_new(void) {
    key_index *keys = calloc(1, sizeof *keys);
    if (keys) pthread_rwlock_init(&keys->lock, NULL);
    return keys;
}

void index_free(key_index *keys) {
    if (!keys) return;
    pthread_rwlock_destroy(&keys->lock);
    free(keys);
}

static unsigned hash_of(const char *key) {
    unsigned hash = 0;
    while (*key) hash = hash * 31 + (unsigned char)*key++;
    return hash;
}

static void note_steps(key_index *keys, unsigned steps) {
    unsigned longest = keys->longest;
    while (steps > longest && !atomic_compare_exchange_weak(&keys->longest, &longest, steps)) {}
}

/* The key's place, or NULL; *room is a place where it could be put, or NULL. Locked. */
static struct place *search(key_index *keys, const char *key, struct place **room) {
    unsigned hash = hash_of(key), steps = 0;
    struct place *found = NULL;
    if (room) *room = NULL;
    for (; steps < INDEX_PLACES && !found; steps++) {
        struct place *place = &keys->places[(hash + steps) % INDEX_PLACES];
        if (place->state == TAKEN && strcmp(place->key, key) == 0) found = place;
        if (room && !*room && place->state != TAKEN) *room = place;
        if (place->state == EMPTY) break;
    }
    note_steps(keys, steps);
    return found;
}

bool index_find(key_index *keys, const char *key, location *found) {
    pthread_rwlock_rdlock(&keys->lock);
    const struct place *place = search(keys, key, NULL);
    if (place) *found = place->at;
    pthread_rwlock_unlock(&keys->lock);
    return place != NULL;
}

bool index_set(key_index *keys, const char *key, location at, bool *had, location *old) {
    struct place *room = NULL;
    pthread_rwlock_wrlock(&keys->lock);
    struct place *place = search(keys, key, &room);
    *had = place != NULL;
    if (place) {
        *old = place->at;
        place->at = at;
    } else if (room) {
        room->state = TAKEN;
        room->at = at;
        memcpy(room->key, key, strlen(key) + 1);
        keys->count++;
    }
    pthread_rwlock_unlock(&keys->lock);
    return place || room;
}

bool index_remove(key_index *keys, const char *key, location *old) {
    pthread_rwlock_wrlock(&keys->lock);
    struct place *place = search(keys, key, NULL);
    if (place) {
        *old = place->at;
        place->state = GONE;
        keys->count--;
    }
    pthread_rwlock_unlock(&keys->lock);
    return place != NULL;
}

void index_clear(key_index *keys) {
    pthread_rwlock_wrlock(&keys->lock);
    memset(keys->places, 0, sizeof keys->places);
    keys->count = 0;
    pthread_rwlock_unlock(&keys->lock);
}

size_t index_count(key_index *keys) {
    pthread_rwlock_rdlock(&keys->lock);
    size_t count = keys->count;
    pthread_rwlock_unlock(&keys->lock);
    return count;
}

unsigned index_longest(key_index *keys) { return keys->longest; }

bool index_next(key_index *keys, const char *after, char key[CODEC_KEY + 1]) {
    const struct place *next = NULL;
    pthread_rwlock_rdlock(&keys->lock);
    for (size_t i = 0; i < INDEX_PLACES; i++) {
        const struct place *place = &keys->places[i];
        if (place->state != TAKEN || (after && strcmp(place->key, after) <= 0)) continue;
        if (!next || strcmp(place->key, next->key) < 0) next = place;
    }
    if (next) memcpy(key, next->key, sizeof next->key);
    pthread_rwlock_unlock(&keys->lock);
    return next != NULL;
}
