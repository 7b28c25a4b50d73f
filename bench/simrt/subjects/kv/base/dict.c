#include "dict.h"

#include "text.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The locks divide the buckets, and the slots: what falls into the same one has the same lock. */
enum { LOCKS = 4, BUCKETS = 16, SLOTS = 8 };

struct item {
    struct item *next;
    unsigned hash;
    bool is_list;
    long ends; /* or 0 */
    unsigned long version;
    char value[DICT_VALUE];
    size_t length; /* of the list, which is a ring */
    size_t first;
    char list[DICT_LIST][DICT_VALUE];
    char key[];
};

struct dict {
    pthread_mutex_t locks[LOCKS];
    struct item *buckets[BUCKETS];
    atomic_size_t counts[LOCKS]; /* of the items; anybody may add them up */
    unsigned long traffic[SLOTS];
};

dict *dict_new(void) {
    dict *keys = calloc(1, sizeof *keys);
    for (int i = 0; keys && i < LOCKS; i++) pthread_mutex_init(&keys->locks[i], NULL);
    return keys;
}

void dict_free(dict *keys) {
    if (!keys) return;
    dict_clear(keys);
    for (int i = 0; i < LOCKS; i++) pthread_mutex_destroy(&keys->locks[i]);
    free(keys);
}

static unsigned slot_of(unsigned hash) { return hash % SLOTS; }

static unsigned lock_key(dict *keys, const char *key) {
    unsigned hash = text_hash(key);
    pthread_mutex_lock(&keys->locks[hash % LOCKS]);
    return hash;
}

static void unlock_key(dict *keys, unsigned hash) { pthread_mutex_unlock(&keys->locks[hash % LOCKS]); }

/* Locked. */
static void note_read(dict *keys, unsigned hash) { keys->traffic[slot_of(hash)]++; }

/* Locked. */
static void drop(dict *keys, struct item **place) {
    struct item *item = *place;
    *place = item->next;
    keys->counts[item->hash % LOCKS]--;
    free(item);
}

/* The item of a key that has not ended, or NULL. Locked. */
static struct item *find(dict *keys, const char *key, unsigned hash, long now) {
    struct item **place = &keys->buckets[hash % BUCKETS];
    while (*place && ((*place)->hash != hash || strcmp((*place)->key, key) != 0)) place = &(*place)->next;
    if (*place && (*place)->ends != 0 && (*place)->ends <= now) drop(keys, place);
    return *place && (*place)->hash == hash && strcmp((*place)->key, key) == 0 ? *place : NULL;
}

/* Locked. */
static struct item *find_or_add(dict *keys, const char *key, unsigned hash, long now) {
    struct item *item = find(keys, key, hash, now);
    if (item) return item;
    size_t length = strlen(key) + 1;
    item = calloc(1, sizeof *item + length);
    if (!item) return NULL;
    memcpy(item->key, key, length);
    item->hash = hash;
    item->next = keys->buckets[hash % BUCKETS];
    keys->buckets[hash % BUCKETS] = item;
    keys->counts[hash % LOCKS]++;
    return item;
}

static void copy_value(char to[DICT_VALUE], const char *from) {
    size_t length = strlen(from);
    if (length >= DICT_VALUE) length = DICT_VALUE - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

/* Locked. */
static void assign(struct item *item, const char *value) {
    item->is_list = false;
    copy_value(item->value, value);
    item->version++;
}

dict_result dict_set(dict *keys, const char *key, const char *value, long now) {
    unsigned hash = lock_key(keys, key);
    struct item *item = find_or_add(keys, key, hash, now);
    if (item) {
        assign(item, value);
        item->ends = 0;
    }
    unlock_key(keys, hash);
    return item ? DICT_DONE : DICT_FULL;
}

dict_result dict_get(dict *keys, const char *key, char value[DICT_VALUE], long now) {
    unsigned hash = lock_key(keys, key);
    const struct item *item = find(keys, key, hash, now);
    dict_result result = !item ? DICT_MISSING : item->is_list ? DICT_WRONG_TYPE : DICT_DONE;
    if (result == DICT_DONE) copy_value(value, item->value);
    note_read(keys, hash);
    unlock_key(keys, hash);
    return result;
}

dict_result dict_append(dict *keys, const char *key, const char *value, long now) {
    unsigned hash = lock_key(keys, key);
    struct item *item = find_or_add(keys, key, hash, now);
    dict_result result = !item ? DICT_FULL : item->is_list ? DICT_WRONG_TYPE : DICT_DONE;
    if (result == DICT_DONE) {
        size_t length = strlen(item->value);
        if (length + strlen(value) < DICT_VALUE) {
            copy_value(item->value + length, value);
            item->version++;
        } else {
            result = DICT_FULL;
        }
    }
    unlock_key(keys, hash);
    return result;
}

dict_result dict_add(dict *keys, const char *key, long amount, long *sum, long now) {
    unsigned hash = lock_key(keys, key);
    struct item *item = find_or_add(keys, key, hash, now);
    dict_result result = !item ? DICT_FULL : item->is_list ? DICT_WRONG_TYPE : DICT_DONE;
    *sum = 0;
    if (result == DICT_DONE && item->value[0] && !text_number(item->value, sum)) result = DICT_NOT_A_NUMBER;
    if (result == DICT_DONE) {
        char digits[DICT_VALUE];
        *sum += amount;
        snprintf(digits, sizeof digits, "%ld", *sum);
        assign(item, digits);
    }
    unlock_key(keys, hash);
    return result;
}

dict_result dict_compare_and_set(dict *keys, const char *key, const char *old, const char *value, long now) {
    unsigned hash = lock_key(keys, key);
    struct item *item = find(keys, key, hash, now);
    dict_result result = DICT_MISSING;
    if (item && item->is_list) result = DICT_WRONG_TYPE;
    if (item && !item->is_list && strcmp(item->value, old) == 0) {
        assign(item, value);
        result = DICT_DONE;
    }
    unlock_key(keys, hash);
    return result;
}

dict_result dict_remove(dict *keys, const char *key, long now) {
    unsigned hash = lock_key(keys, key);
    struct item *item = find(keys, key, hash, now);
    if (item) {
        struct item **place = &keys->buckets[hash % BUCKETS];
        while (*place != item) place = &(*place)->next;
        drop(keys, place);
    }
    unlock_key(keys, hash);
    return item ? DICT_DONE : DICT_MISSING;
}

bool dict_exists(dict *keys, const char *key, long now) {
    unsigned hash = lock_key(keys, key);
    bool exists = find(keys, key, hash, now) != NULL;
    note_read(keys, hash);
    unlock_key(keys, hash);
    return exists;
}

dict_result dict_push(dict *keys, const char *key, const char *value, long now) {
    unsigned hash = lock_key(keys, key);
    struct item *item = find_or_add(keys, key, hash, now);
    dict_result result = item ? DICT_DONE : DICT_FULL;
    if (item && !item->is_list && item->version > 0) result = DICT_WRONG_TYPE;
    if (item && item->length == DICT_LIST) result = DICT_FULL;
    if (result == DICT_DONE) {
        item->is_list = true;
        copy_value(item->list[(item->first + item->length) % DICT_LIST], value);
        item->length++;
        item->version++;
    }
    unlock_key(keys, hash);
    return result;
}

dict_result dict_pop(dict *keys, const char *key, char value[DICT_VALUE], long now) {
    unsigned hash = lock_key(keys, key);
    struct item *item = find(keys, key, hash, now);
    dict_result result = !item ? DICT_MISSING : !item->is_list ? DICT_WRONG_TYPE : DICT_DONE;
    if (result == DICT_DONE && item->length == 0) result = DICT_MISSING;
    if (result == DICT_DONE) {
        copy_value(value, item->list[item->first]);
        item->first = (item->first + 1) % DICT_LIST;
        item->length--;
        item->version++;
    }
    unlock_key(keys, hash);
    return result;
}

dict_result dict_length(dict *keys, const char *key, size_t *length, long now) {
    unsigned hash = lock_key(keys, key);
    const struct item *item = find(keys, key, hash, now);
    dict_result result = !item ? DICT_MISSING : DICT_DONE;
    if (item) *length = item->is_list ? item->length : strlen(item->value);
    unlock_key(keys, hash);
    return result;
}

dict_result dict_expire(dict *keys, const char *key, long ends, long now) {
    unsigned hash = lock_key(keys, key);
    struct item *item = find(keys, key, hash, now);
    if (item) {
        item->ends = ends;
        item->version++;
    }
    unlock_key(keys, hash);
    return item ? DICT_DONE : DICT_MISSING;
}

dict_result dict_ends(dict *keys, const char *key, long *ends, long now) {
    unsigned hash = lock_key(keys, key);
    const struct item *item = find(keys, key, hash, now);
    if (item) *ends = item->ends;
    unlock_key(keys, hash);
    return item ? DICT_DONE : DICT_MISSING;
}

unsigned long dict_version(dict *keys, const char *key, long now) {
    unsigned hash = lock_key(keys, key);
    const struct item *item = find(keys, key, hash, now);
    unsigned long version = item ? item->version : 0;
    unlock_key(keys, hash);
    return version;
}

size_t dict_keys(dict *keys, const char *pattern, long now, void (*each)(void *context, const char *key),
                 void *context) {
    size_t found = 0;
    for (unsigned bucket = 0; bucket < BUCKETS; bucket++) {
        pthread_mutex_lock(&keys->locks[bucket % LOCKS]);
        for (const struct item *item = keys->buckets[bucket]; item; item = item->next) {
            if (item->ends != 0 && item->ends <= now) continue;
            if (!text_matches(pattern, item->key)) continue;
            each(context, item->key);
            found++;
        }
        pthread_mutex_unlock(&keys->locks[bucket % LOCKS]);
    }
    return found;
}

size_t dict_sweep(dict *keys, long now) {
    size_t dropped = 0;
    for (unsigned bucket = 0; bucket < BUCKETS; bucket++) {
        pthread_mutex_lock(&keys->locks[bucket % LOCKS]);
        for (struct item **place = &keys->buckets[bucket]; *place;) {
            if ((*place)->ends != 0 && (*place)->ends <= now) {
                drop(keys, place);
                dropped++;
            } else {
                place = &(*place)->next;
            }
        }
        pthread_mutex_unlock(&keys->locks[bucket % LOCKS]);
    }
    return dropped;
}

void dict_clear(dict *keys) {
    for (unsigned bucket = 0; bucket < BUCKETS; bucket++) {
        pthread_mutex_lock(&keys->locks[bucket % LOCKS]);
        while (keys->buckets[bucket]) drop(keys, &keys->buckets[bucket]);
        pthread_mutex_unlock(&keys->locks[bucket % LOCKS]);
    }
}

size_t dict_count(dict *keys) {
    size_t count = 0;
    for (unsigned i = 0; i < LOCKS; i++) count += keys->counts[i];
    return count;
}

unsigned long dict_traffic(dict *keys, const char *key) {
    unsigned hash = lock_key(keys, key);
    unsigned long traffic = keys->traffic[slot_of(hash)];
    unlock_key(keys, hash);
    return traffic;
}
