/*
 * Jobs that are ready, for one kind of workers: those with the highest priority first, of these the one that came first.
 * For all threads.
 */
#ifndef POOL_H
#define POOL_H

#include <stdbool.h>
#include <stddef.h>

enum { POOL_MOST = 32 };

typedef struct pool pool;

pool *pool_new(void);
void pool_free(pool *jobs);

bool pool_put(pool *jobs, int job, int priority);
/* -1: none. */
int pool_take(pool *jobs);
int pool_next(pool *jobs); /* looks only */
bool pool_remove(pool *jobs, int job);
bool pool_change(pool *jobs, int job, int priority);

size_t pool_count(pool *jobs);
size_t pool_deepest(pool *jobs); /* the most there were at once */
unsigned long pool_taken(pool *jobs);

#endif
