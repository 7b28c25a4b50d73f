/* A hash table from numbers to numbers, with chains, which doubles when it is full.
 *
 * All functions but hashtable_free may be called by several threads on the same table at the same time.
 */
#ifndef HASHTABLE_H
#define HASHTABLE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct hashtable hashtable;

/* With room for `capacity` keys (at least 1) before it grows. NULL: no memory. */
hashtable *hashtable_new(size_t capacity);
void hashtable_free(hashtable *table);

/* Sets the value of `key`; whether the key is new. */
bool hashtable_put(hashtable *table, int key, int value);
bool hashtable_get(hashtable *table, int key, int *value);
bool hashtable_contains(hashtable *table, int key);
bool hashtable_remove(hashtable *table, int key);
size_t hashtable_size(hashtable *table);
void hashtable_clear(hashtable *table);

#endif
