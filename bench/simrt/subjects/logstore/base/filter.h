/*
 * Tells of most keys that were never put that they were not (a Bloom filter). Keys are added by who holds the store's append lock;
 * questions need no lock.
 */
#ifndef FILTER_H
#define FILTER_H

#include <stdatomic.h>
#include <stdbool.h>

enum { FILTER_WORDS = 4, FILTER_HASHES = 3 };

typedef struct filter {
    atomic_uint words[FILTER_WORDS];
} filter;

void filter_add(filter *keys, const char *key);
bool filter_may_have(filter *keys, const char *key);
void filter_clear(filter *keys);
unsigned filter_load(filter *keys); /* of 100 bits */

#endif
