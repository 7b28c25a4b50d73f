/*
 * A cache of a fixed number of integers by key; who was not asked for longest makes room. All functions but lru_new and
 * lru_free may be called by several threads at once.
 */
#ifndef LRU_H
#define LRU_H

#include <stdbool.h>
#include <stddef.h>

enum { LRU_MOST = 8 };

struct lru;

struct lru *lru_new(size_t capacity); /* at most LRU_MOST */
void lru_free(struct lru *cache);

bool lru_get(struct lru *cache, int key, int *value);
/* The same, but the order of use stays as it is, and it is no hit and no miss. */
bool lru_peek(struct lru *cache, int key, int *value);
void lru_put(struct lru *cache, int key, int value);
bool lru_remove(struct lru *cache, int key);
void lru_clear(struct lru *cache);
bool lru_oldest(struct lru *cache, int *key);
size_t lru_size(struct lru *cache);

size_t lru_capacity(const struct lru *cache);
void lru_resize(struct lru *cache, size_t capacity);

/* Of 100 lookups, so many were hits. */
unsigned lru_hit_rate(struct lru *cache);
unsigned long lru_evictions(struct lru *cache);

#endif
