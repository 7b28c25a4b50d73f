/* Where the latest record of each key is. For all threads. */
#ifndef INDEX_H
#define INDEX_H

#include "codec.h"

enum { INDEX_PLACES = 32 };

typedef struct location {
    int segment;
    size_t offset;
} location;

typedef struct key_index key_index;

key_index *index_new(void);
void index_free(key_index *keys);

bool index_find(key_index *keys, const char *key, location *found);
/* False: no room. *had and *old tell where the key was before. */
bool index_set(key_index *keys, const char *key, location at, bool *had, location *old);
bool index_remove(key_index *keys, const char *key, location *old);
void index_clear(key_index *keys);
size_t index_count(key_index *keys);
/* Of steps that a search took, the most so far. */
unsigned index_longest(key_index *keys);
/* The first key that comes after `after` in the order of strings; NULL is before all. */
bool index_next(key_index *keys, const char *after, char key[CODEC_KEY + 1]);

#endif
