#include "store.h"

#include <stdlib.h>
#include <string.h>

store *store_new(void) {
    store *data = calloc(1, sizeof *data);
    if (!data) return NULL;
    pthread_rwlock_init(&data->layout, NULL);
    pthread_mutex_init(&data->append, NULL);
    pthread_mutex_init(&data->figures_lock, NULL);
    data->index = index_new();
    data->values = cache_new();
    data->checkpoints = manifest_new();
    segment_begin(&data->segments[0]);
    if (data->index && data->values && data->checkpoints) return data;
    store_free(data);
    return NULL;
}

void store_free(store *data) {
    if (!data) return;
    index_free(data->index);
    cache_free(data->values);
    manifest_free(data->checkpoints);
    pthread_mutex_destroy(&data->figures_lock);
    pthread_mutex_destroy(&data->append);
    pthread_rwlock_destroy(&data->layout);
    free(data);
}

/* Number of a segment that is not in use, or -1. Append-locked, as all that follow up to store_put. */
static int find_spare(store *data) {
    for (int i = 0; i < STORE_SEGMENTS; i++)
        if (!data->segments[i].in_use) return i;
    return -1;
}

static bool append(store *data, const record *item, location *at) {
    if (segment_room(&data->segments[data->active]) < codec_size(item)) {
        int spare = find_spare(data);
        if (spare < 0) return false;
        segment_seal(&data->segments[data->active]);
        segment_begin(&data->segments[spare]);
        data->active = spare;
    }
    at->segment = data->active;
    if (!segment_append(&data->segments[data->active], item, &at->offset)) return false;
    data->writes++;
    return true;
}

static void forget(store *data, location old) { data->segments[old.segment].live--; }

static bool point_to(store *data, const char *key, location at) {
    bool had = false;
    location old;
    if (!index_set(data->index, key, at, &had, &old)) {
        forget(data, at);
        return false;
    }
    if (had) forget(data, old);
    return true;
}

static store_result write_record(store *data, const record *item) {
    location at;
    if (!append(data, item, &at)) return STORE_FULL;
    filter_add(&data->keys, item->key);
    if (!point_to(data, item->key, at)) return STORE_FULL;
    cache_drop(data->values, item->key);
    return STORE_OK;
}

store_result store_put(store *data, const char *key, const char *value) {
    record item;
    if (codec_make(&item, CODEC_PUT, key, value) != CODEC_OK) return STORE_TOO_LONG;
    pthread_rwlock_rdlock(&data->layout);
    pthread_mutex_lock(&data->append);
    store_result result = write_record(data, &item);
    pthread_mutex_unlock(&data->append);
    pthread_rwlock_unlock(&data->layout);
    return result;
}

/* Append-locked. */
static bool has_room(store *data, size_t bytes) {
    size_t room = segment_room(&data->segments[data->active]);
    for (int i = 0; i < STORE_SEGMENTS; i++)
        if (!data->segments[i].in_use) room += SEGMENT_BYTES - CODEC_MOST;
    return room >= bytes + CODEC_MOST;
}

store_result store_put_many(store *data, const char *const (*pairs)[2], size_t count) {
    record items[STORE_BATCH];
    size_t bytes = 0;
    if (count > STORE_BATCH) return STORE_TOO_LONG;
    for (size_t i = 0; i < count; i++) {
        if (codec_make(&items[i], CODEC_PUT, pairs[i][0], pairs[i][1]) != CODEC_OK) return STORE_TOO_LONG;
        bytes += codec_size(&items[i]);
    }
    pthread_rwlock_rdlock(&data->layout);
    pthread_mutex_lock(&data->append);
    store_result result = has_room(data, bytes) ? STORE_OK : STORE_FULL;
    for (size_t i = 0; i < count && result == STORE_OK; i++) result = write_record(data, &items[i]);
    pthread_mutex_unlock(&data->append);
    pthread_rwlock_unlock(&data->layout);
    return result;
}

/* Layout-locked. */
static store_result read_value(store *data, const char *key, char value[CODEC_VALUE + 1]) {
    location at;
    record item;
    size_t size = 0;
    if (!index_find(data->index, key, &at)) return STORE_MISSING;
    if (segment_read(&data->segments[at.segment], at.offset, &item, &size) != CODEC_OK) return STORE_CORRUPT;
    memcpy(value, item.value, sizeof item.value);
    return STORE_OK;
}

store_result store_get(store *data, const char *key, char value[CODEC_VALUE + 1]) {
    if (!filter_may_have(&data->keys, key)) return STORE_MISSING;
    if (cache_get(data->values, key, value)) return STORE_OK;
    pthread_rwlock_rdlock(&data->layout);
    unsigned version = cache_version(data->values);
    store_result result = read_value(data, key, value);
    pthread_rwlock_unlock(&data->layout);
    if (result == STORE_OK) cache_put(data->values, key, value, version);
    return result;
}

store_result store_remove(store *data, const char *key) {
    record item;
    location old, at;
    if (codec_make(&item, CODEC_REMOVE, key, "") != CODEC_OK) return STORE_TOO_LONG;
    pthread_rwlock_rdlock(&data->layout);
    pthread_mutex_lock(&data->append);
    store_result result = index_find(data->index, key, &old) ? STORE_OK : STORE_MISSING;
    if (result == STORE_OK && !append(data, &item, &at)) result = STORE_FULL;
    if (result == STORE_OK && index_remove(data->index, key, &old)) {
        forget(data, old);
        forget(data, at);
        cache_drop(data->values, key);
    }
    pthread_mutex_unlock(&data->append);
    pthread_rwlock_unlock(&data->layout);
    return result;
}

bool store_has(store *data, const char *key) {
    location at;
    return filter_may_have(&data->keys, key) && index_find(data->index, key, &at);
}

bool store_next(store *data, const char *after, char key[CODEC_KEY + 1]) {
    return index_next(data->index, after, key);
}

size_t store_count(store *data) { return index_count(data->index); }

/* The sealed segment with the fewest live records, or -1. Layout-locked for writing, as those that follow up to store_compact. */
static int find_deadest(store *data) {
    int deadest = -1;
    for (int i = 0; i < STORE_SEGMENTS; i++) {
        segment *piece = &data->segments[i];
        if (!piece->in_use || !piece->sealed) continue;
        if (deadest < 0 || piece->live < data->segments[deadest].live) deadest = i;
    }
    return deadest;
}

static bool is_current(store *data, const char *key, int number, size_t offset) {
    location at;
    return index_find(data->index, key, &at) && at.segment == number && at.offset == offset;
}

/* Removals are dropped with the records that they hide only if there are no older ones elsewhere. */
static bool move_out(store *data, int number) {
    segment *piece = &data->segments[number];
    record item;
    for (size_t offset = 0, size = 0; offset < piece->used; offset += size) {
        location at;
        if (segment_read(piece, offset, &item, &size) != CODEC_OK) return false;
        if (item.kind != CODEC_PUT || !is_current(data, item.key, number, offset)) continue;
        if (!append(data, &item, &at) || !point_to(data, item.key, at)) return false;
    }
    return true;
}

size_t store_compact(store *data) {
    size_t freed = 0;
    pthread_rwlock_wrlock(&data->layout);
    pthread_mutex_lock(&data->append);
    int number = find_deadest(data);
    if (number >= 0 && move_out(data, number)) {
        freed = data->segments[number].used;
        segment_empty(&data->segments[number]);
        cache_clear(data->values);
    }
    pthread_mutex_unlock(&data->append);
    pthread_mutex_lock(&data->figures_lock);
    if (freed > 0) data->compactions++;
    data->reclaimed += freed;
    pthread_mutex_unlock(&data->figures_lock);
    pthread_rwlock_unlock(&data->layout);
    return freed;
}

bool store_wants_compaction(store *data) {
    int in_use = 0, dead = 0;
    pthread_rwlock_rdlock(&data->layout);
    pthread_mutex_lock(&data->append);
    for (int i = 0; i < STORE_SEGMENTS; i++) {
        in_use += data->segments[i].in_use;
        dead += i != data->active && data->segments[i].in_use && data->segments[i].live == 0;
    }
    pthread_mutex_unlock(&data->append);
    pthread_rwlock_unlock(&data->layout);
    return dead > 0 || in_use + 1 >= STORE_SEGMENTS;
}

unsigned long store_checkpoint(store *data) {
    checkpoint made = {.keys = index_count(data->index)};
    pthread_rwlock_rdlock(&data->layout);
    pthread_mutex_lock(&data->append);
    for (int i = 0; i < STORE_SEGMENTS; i++) made.used[i] = data->segments[i].used;
    pthread_mutex_unlock(&data->append);
    pthread_rwlock_unlock(&data->layout);
    return manifest_add(data->checkpoints, &made);
}

/* How many records of a segment cannot be read: none, or one, for after it nothing can be found. */
static size_t verify_segment(segment *piece) {
    record item;
    for (size_t offset = 0, size = 0; offset < piece->used; offset += size)
        if (segment_read(piece, offset, &item, &size) != CODEC_OK) return 1;
    return 0;
}

size_t store_verify(store *data) {
    size_t bad = 0, looked_at = 0;
    pthread_rwlock_rdlock(&data->layout);
    for (int i = 0; i < STORE_SEGMENTS; i++) {
        segment *piece = &data->segments[i];
        if (!piece->in_use) continue;
        looked_at++;
        if (segment_is_settled(piece)) {
            bad += verify_segment(piece);
        } else {
            pthread_mutex_lock(&data->append);
            bad += verify_segment(piece);
            pthread_mutex_unlock(&data->append);
        }
    }
    pthread_rwlock_unlock(&data->layout);
    pthread_mutex_lock(&data->figures_lock);
    data->scanned += looked_at;
    pthread_mutex_unlock(&data->figures_lock);
    return bad;
}

/* Layout-locked for writing. The order of segments is not kept: keys that are in several are taken from the active one last. */
static store_result index_segment(store *data, int number) {
    segment *piece = &data->segments[number];
    record item;
    for (size_t offset = 0, size = 0; offset < piece->used; offset += size) {
        location old;
        if (segment_read(piece, offset, &item, &size) != CODEC_OK) return STORE_CORRUPT;
        if (item.kind == CODEC_REMOVE) {
            if (index_remove(data->index, item.key, &old)) forget(data, old);
            continue;
        }
        piece->live++;
        if (!point_to(data, item.key, (location){number, offset})) return STORE_FULL;
    }
    return STORE_OK;
}

store_result store_recover(store *data) {
    store_result result = STORE_OK;
    pthread_rwlock_wrlock(&data->layout);
    pthread_mutex_lock(&data->append);
    index_clear(data->index);
    cache_clear(data->values);
    for (int i = 0; i < STORE_SEGMENTS; i++) data->segments[i].live = 0;
    for (int i = 0; i < STORE_SEGMENTS && result == STORE_OK; i++)
        if (data->segments[i].in_use && i != data->active) result = index_segment(data, i);
    if (result == STORE_OK) result = index_segment(data, data->active);
    pthread_mutex_unlock(&data->append);
    pthread_rwlock_unlock(&data->layout);
    return result;
}

void store_erase(store *data) {
    pthread_rwlock_wrlock(&data->layout);
    pthread_mutex_lock(&data->append);
    for (int i = 0; i < STORE_SEGMENTS; i++) segment_empty(&data->segments[i]);
    segment_begin(&data->segments[0]);
    data->active = 0;
    index_clear(data->index);
    cache_clear(data->values);
    filter_clear(&data->keys);
    pthread_mutex_unlock(&data->append);
    pthread_rwlock_unlock(&data->layout);
}

unsigned long store_writes(store *data) { return data->writes; }

unsigned long store_compactions(store *data) {
    pthread_mutex_lock(&data->figures_lock);
    unsigned long compactions = data->compactions;
    pthread_mutex_unlock(&data->figures_lock);
    return compactions;
}

unsigned long store_reclaimed(store *data) {
    pthread_mutex_lock(&data->figures_lock);
    unsigned long reclaimed = data->reclaimed;
    pthread_mutex_unlock(&data->figures_lock);
    return reclaimed;
}

unsigned long store_scanned(store *data) {
    pthread_mutex_lock(&data->figures_lock);
    unsigned long scanned = data->scanned;
    pthread_mutex_unlock(&data->figures_lock);
    return scanned;
}
