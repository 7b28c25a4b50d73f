#include "hashtable.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct entry {
    int key, value;
    struct entry *next;
};

struct hashtable {
    pthread_mutex_t lock;
    struct entry **buckets; /* under the lock */
    atomic_size_t capacity; /* of buckets; written under the lock */
    size_t size;            /* under the lock */
};

hashtable *hashtable_new(size_t capacity) {
    hashtable *table = calloc(1, sizeof *table);
    if (!table) return NULL;
    if (capacity == 0) capacity = 1;
    table->buckets = calloc(capacity, sizeof(struct entry *));
    if (!table->buckets) {
        free(table);
        return NULL;
    }
    atomic_init(&table->capacity, capacity);
    pthread_mutex_init(&table->lock, NULL);
    return table;
}

/* Locked. */
static void free_entries(hashtable *table) {
    for (size_t i = 0; i < table->capacity; i++) {
        struct entry *entry = table->buckets[i], *next;
        for (; entry; entry = next) {
            next = entry->next;
            free(entry);
        }
        table->buckets[i] = NULL;
    }
    table->size = 0;
}

void hashtable_free(hashtable *table) {
    if (!table) return;
    free_entries(table);
    pthread_mutex_destroy(&table->lock);
    free(table->buckets);
    free(table);
}

static size_t bucket_of(int key, size_t capacity) { return (unsigned)key * 2654435761u % capacity; }

/* Locked: where the entry of `key` is linked in its chain, or would be. */
static struct entry **find(hashtable *table, size_t bucket, int key) {
    struct entry **link = &table->buckets[bucket];
    while (*link && (*link)->key != key) link = &(*link)->next;
    return link;
}

/* Locked: twice the buckets. Without memory for them the chains just become longer. */
static void grow(hashtable *table) {
    size_t capacity = table->capacity, doubled = 2 * capacity;
    struct entry **buckets = calloc(doubled, sizeof(struct entry *)), **old = table->buckets;
    if (!buckets) return;
    table->capacity = doubled;
    table->buckets = buckets;
    for (size_t i = 0; i < capacity; i++) {
        struct entry *entry = old[i], *next;
        for (; entry; entry = next) {
            struct entry **head = &buckets[bucket_of(entry->key, doubled)];
            next = entry->next;
            entry->next = *head;
            *head = entry;
        }
    }
    free(old);
}

bool hashtable_put(hashtable *table, int key, int value) {
    struct entry *fresh = malloc(sizeof *fresh);
    size_t bucket = bucket_of(key, table->capacity);
    if (!fresh) return false;
    *fresh = (struct entry){.key = key, .value = value};
    pthread_mutex_lock(&table->lock);
    struct entry **link = find(table, bucket, key);
    bool is_new = !*link;
    if (is_new) {
        *link = fresh;
        fresh = NULL;
        if (++table->size > table->capacity) grow(table);
    } else {
        (*link)->value = value;
    }
    pthread_mutex_unlock(&table->lock);
    free(fresh);
    return is_new;
}

bool hashtable_get(hashtable *table, int key, int *value) {
    pthread_mutex_lock(&table->lock);
    struct entry *entry = *find(table, bucket_of(key, table->capacity), key);
    if (entry) *value = entry->value;
    pthread_mutex_unlock(&table->lock);
    return entry != NULL;
}

bool hashtable_contains(hashtable *table, int key) {
    int unused;
    return hashtable_get(table, key, &unused);
}

bool hashtable_remove(hashtable *table, int key) {
    pthread_mutex_lock(&table->lock);
    struct entry **link = find(table, bucket_of(key, table->capacity), key), *entry = *link;
    if (entry) {
        *link = entry->next;
        table->size--;
    }
    pthread_mutex_unlock(&table->lock);
    free(entry);
    return entry != NULL;
}

size_t hashtable_size(hashtable *table) {
    pthread_mutex_lock(&table->lock);
    size_t size = table->size;
    pthread_mutex_unlock(&table->lock);
    return size;
}

void hashtable_clear(hashtable *table) {
    pthread_mutex_lock(&table->lock);
    free_entries(table);
    pthread_mutex_unlock(&table->lock);
}
