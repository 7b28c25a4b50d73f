/* A cache of limited size, which forgets what was not asked for the longest time. Those that ask do not keep each other out.
 *
 * All functions but rwcache_free may be called by several threads on the same cache at the same time. Each has its effect
 * at one moment.
 */
#ifndef RWCACHE_H
#define RWCACHE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct rwcache rwcache;

enum { RWCACHE_MAX = 16 };

/* For at most `capacity` keys (1 to RWCACHE_MAX). NULL: no memory. */
rwcache *rwcache_new(size_t capacity);
void rwcache_free(rwcache *cache);

/* Whether `key` is there; then it is the one used last. */
bool rwcache_get(rwcache *cache, int key, int *value);
/* Looks without using. */
bool rwcache_peek(rwcache *cache, int key, int *value);
/* Sets, and uses. */
void rwcache_put(rwcache *cache, int key, int value);
bool rwcache_remove(rwcache *cache, int key);
size_t rwcache_size(rwcache *cache);
/* The key that would be forgotten next; false: empty. */
bool rwcache_oldest(rwcache *cache, int *key);

#endif
