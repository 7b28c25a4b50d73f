/*
 * ttlcache: a small cache of strings whose entries expire.
 *
 * At most TTLCACHE_SLOTS entries; the entry that expires first makes room. A missing value is loaded by one
 * thread only: others that ask for the same key meanwhile wait for it.
 */
#ifndef TTLCACHE_H
#define TTLCACHE_H

#define TTLCACHE_SLOTS 8

/* Returns a value that the cache will free(), or NULL. */
typedef char *(*ttlcache_loader)(const char *key, void *user);

struct ttlcache;

struct ttlcache *ttlcache_open(long ttl_ms, ttlcache_loader load, void *user);
void ttlcache_close(struct ttlcache *c);
/* A copy for the caller to free, loaded if it is not there; NULL if it cannot be loaded. */
char *ttlcache_get(struct ttlcache *c, const char *key);
void ttlcache_drop(struct ttlcache *c, const char *key);
/* How many entries have not expired. */
int ttlcache_live(struct ttlcache *c);

#endif
