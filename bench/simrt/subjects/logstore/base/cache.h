/* Values that were read lately, so that the log need not be asked. For all threads. */
#ifndef CACHE_H
#define CACHE_H

#include "codec.h"

enum { CACHE_SLOTS = 4 };

typedef struct cache cache;

cache *cache_new(void);
void cache_free(cache *values);

bool cache_get(cache *values, const char *key, char value[CODEC_VALUE + 1]);
/* What is put is what was read while version was the cache's; it is not kept if anything was dropped since. */
unsigned cache_version(cache *values);
void cache_put(cache *values, const char *key, const char *value, unsigned version);
void cache_drop(cache *values, const char *key);
void cache_clear(cache *values);

unsigned cache_hit_rate(cache *values); /* of 100 */
/* The slot that misses most. */
unsigned cache_worst(cache *values);

#endif
