/*
 * A log-structured store, with memory for a disk: each change is a record at the end of a log of segments, an index tells where the
 * latest record of a key is, and compaction moves what is alive out of segments that are mostly dead.
 *
 * For all threads, but for store_new and store_free. Locks, in the order in which they are taken:
 *     layout     read: whoever uses segments; written: whoever empties them
 *     append     whoever writes to the log
 *     those of index, cache and manifest, and of the figures
 */
#ifndef STORE_H
#define STORE_H

#include "cache.h"
#include "filter.h"
#include "index.h"
#include "manifest.h"
#include "segment.h"

#include <pthread.h>

enum { STORE_SEGMENTS = MANIFEST_SEGMENTS, STORE_BATCH = 4 };

typedef enum store_result { STORE_OK, STORE_MISSING, STORE_TOO_LONG, STORE_FULL, STORE_CORRUPT } store_result;

typedef struct store {
    pthread_rwlock_t layout;
    pthread_mutex_t append;
    segment segments[STORE_SEGMENTS];
    int active; /* under append, as is writes */
    unsigned long writes;
    key_index *index;
    cache *values;
    filter keys;
    manifest *checkpoints;
    pthread_mutex_t figures_lock; /* over what follows */
    unsigned long compactions, reclaimed, scanned;
} store;

store *store_new(void);
void store_free(store *data);

store_result store_put(store *data, const char *key, const char *value);
/* All or, if there is no room, none. */
store_result store_put_many(store *data, const char *const (*pairs)[2], size_t count);
store_result store_get(store *data, const char *key, char value[CODEC_VALUE + 1]);
store_result store_remove(store *data, const char *key);
bool store_has(store *data, const char *key);
bool store_next(store *data, const char *after, char key[CODEC_KEY + 1]);
size_t store_count(store *data);

/* Empties the segment with the fewest records that are alive. Bytes that became free. */
size_t store_compact(store *data);
bool store_wants_compaction(store *data);
unsigned long store_checkpoint(store *data);
/* Looks at all records: how many cannot be read. */
size_t store_verify(store *data);
/* Forgets the index and makes it again from the log. */
store_result store_recover(store *data);
void store_erase(store *data);

unsigned long store_writes(store *data); /* about */
unsigned long store_compactions(store *data);
unsigned long store_reclaimed(store *data);
unsigned long store_scanned(store *data);

#endif
