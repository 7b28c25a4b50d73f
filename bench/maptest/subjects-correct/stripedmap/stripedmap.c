#include "stripedmap.h"

#include <pthread.h>
#include <stdlib.h>

/* A key belongs to one stripe for ever. Each stripe is a small hash table that grows by itself, under its own lock. What concerns
 * all of the map takes all locks, in the order of the stripes. */
enum { STRIPES = 4, FIRST_BUCKETS = 2 };

struct entry {
    struct entry *next;
    int key, value;
};

struct stripe {
    pthread_mutex_t lock; /* over all that follows */
    struct entry **buckets;
    size_t bucket_count, size;
};

struct stripedmap {
    struct stripe stripes[STRIPES];
};

static unsigned hash_of(int key) { return (unsigned)key * 2654435761u; }

static struct stripe *stripe_of(stripedmap *map, int key) { return &map->stripes[hash_of(key) % STRIPES]; }

/* Locked. */
static void free_entries(struct stripe *stripe) {
    for (size_t i = 0; i < stripe->bucket_count; i++) {
        struct entry *entry = stripe->buckets[i], *next;
        for (; entry; entry = next) {
            next = entry->next;
            free(entry);
        }
        stripe->buckets[i] = NULL;
    }
    stripe->size = 0;
}

void stripedmap_free(stripedmap *map) {
    if (!map) return;
    for (int i = 0; i < STRIPES; i++) {
        free_entries(&map->stripes[i]);
        free(map->stripes[i].buckets);
        pthread_mutex_destroy(&map->stripes[i].lock);
    }
    free(map);
}

stripedmap *stripedmap_new(void) {
    bool complete = true;
    stripedmap *map = calloc(1, sizeof *map);
    if (!map) return NULL;
    for (int i = 0; i < STRIPES; i++) {
        struct stripe *stripe = &map->stripes[i];
        pthread_mutex_init(&stripe->lock, NULL);
        stripe->buckets = calloc(FIRST_BUCKETS, sizeof(struct entry *));
        if (stripe->buckets) stripe->bucket_count = FIRST_BUCKETS;
        complete &= stripe->buckets != NULL;
    }
    if (complete) return map;
    stripedmap_free(map);
    return NULL;
}

/* Locked: where the entry of `key` is linked, or would be. */
static struct entry **find(struct stripe *stripe, int key) {
    struct entry **link = &stripe->buckets[hash_of(key) / STRIPES % stripe->bucket_count];
    while (*link && (*link)->key != key) link = &(*link)->next;
    return link;
}

/* Locked: twice the buckets. Without memory for them the chains just become longer. */
static void grow(struct stripe *stripe) {
    size_t count = stripe->bucket_count;
    struct entry **old = stripe->buckets, **buckets = calloc(2 * count, sizeof(struct entry *));
    if (!buckets) return;
    stripe->buckets = buckets;
    stripe->bucket_count = 2 * count;
    for (size_t i = 0; i < count; i++) {
        struct entry *entry = old[i], *next;
        for (; entry; entry = next) {
            struct entry **link = find(stripe, entry->key);
            next = entry->next;
            entry->next = NULL;
            *link = entry;
        }
    }
    free(old);
}

/* Locked: a new entry at its place. */
static bool add(struct stripe *stripe, struct entry **link, int key, int value) {
    struct entry *fresh = malloc(sizeof *fresh);
    if (!fresh) return false;
    *fresh = (struct entry){NULL, key, value};
    *link = fresh;
    if (++stripe->size > 2 * stripe->bucket_count) grow(stripe);
    return true;
}

bool stripedmap_get(stripedmap *map, int key, int *value) {
    struct stripe *stripe = stripe_of(map, key);
    pthread_mutex_lock(&stripe->lock);
    const struct entry *entry = *find(stripe, key);
    if (entry) *value = entry->value;
    pthread_mutex_unlock(&stripe->lock);
    return entry != NULL;
}

bool stripedmap_put(stripedmap *map, int key, int value) {
    struct stripe *stripe = stripe_of(map, key);
    bool done = true;
    pthread_mutex_lock(&stripe->lock);
    struct entry **link = find(stripe, key);
    if (*link)
        (*link)->value = value;
    else
        done = add(stripe, link, key, value);
    pthread_mutex_unlock(&stripe->lock);
    return done;
}

bool stripedmap_put_new(stripedmap *map, int key, int value) {
    struct stripe *stripe = stripe_of(map, key);
    pthread_mutex_lock(&stripe->lock);
    struct entry **link = find(stripe, key);
    bool done = !*link && add(stripe, link, key, value);
    pthread_mutex_unlock(&stripe->lock);
    return done;
}

bool stripedmap_replace(stripedmap *map, int key, int old, int value) {
    struct stripe *stripe = stripe_of(map, key);
    pthread_mutex_lock(&stripe->lock);
    struct entry *entry = *find(stripe, key);
    bool done = entry && entry->value == old;
    if (done) entry->value = value;
    pthread_mutex_unlock(&stripe->lock);
    return done;
}

bool stripedmap_remove(stripedmap *map, int key) {
    struct stripe *stripe = stripe_of(map, key);
    pthread_mutex_lock(&stripe->lock);
    struct entry **link = find(stripe, key), *entry = *link;
    if (entry) {
        *link = entry->next;
        stripe->size--;
    }
    pthread_mutex_unlock(&stripe->lock);
    free(entry);
    return entry != NULL;
}

static void lock_all(stripedmap *map) {
    for (int i = 0; i < STRIPES; i++) pthread_mutex_lock(&map->stripes[i].lock);
}

static void unlock_all(stripedmap *map) {
    for (int i = 0; i < STRIPES; i++) pthread_mutex_unlock(&map->stripes[i].lock);
}

size_t stripedmap_size(stripedmap *map) {
    size_t size = 0;
    lock_all(map);
    for (int i = 0; i < STRIPES; i++) size += map->stripes[i].size;
    unlock_all(map);
    return size;
}

bool stripedmap_has_value(stripedmap *map, int value) {
    bool found = false;
    lock_all(map);
    for (int i = 0; i < STRIPES; i++)
        for (size_t j = 0; j < map->stripes[i].bucket_count; j++)
            for (const struct entry *e = map->stripes[i].buckets[j]; e; e = e->next)
                found |= e->value == value;
    unlock_all(map);
    return found;
}

void stripedmap_clear(stripedmap *map) {
    lock_all(map);
    for (int i = 0; i < STRIPES; i++) free_entries(&map->stripes[i]);
    unlock_all(map);
}
