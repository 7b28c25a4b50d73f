/* A cache of limited size, which forgets what was not asked for the longest time.
 *
 * All functions but lru_free may be called by several threads on the same cache at the same time.
 */
#ifndef LRU_H
#define LRU_H

#include <stdbool.h>
#include <stddef.h>

typedef struct lru lru;

/* For at most `capacity` keys (at least 1). NULL: no memory. */
lru *lru_new(size_t capacity);
void lru_free(lru *cache);

/* Whether `key` is there; then it is the one used last. */
bool lru_get(lru *cache, int key, int *value);
/* Looks without using. */
bool lru_peek(lru *cache, int key, int *value);
/* Sets, and uses; false: no memory. */
bool lru_put(lru *cache, int key, int value);
bool lru_remove(lru *cache, int key);
size_t lru_size(lru *cache);
/* The key that would be forgotten next; false: empty. */
bool lru_oldest(lru *cache, int *key);
void lru_clear(lru *cache);

#endif
