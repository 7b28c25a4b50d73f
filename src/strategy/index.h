/* Dense numbers for sparse keys, and an array of items by number.
 *
 * For strategies that remember things by site or by lineage across executions. The first key added is number
 * 0, the next new one 1, and so on; keys are never removed. An open hash table and a growing array, both in
 * the arena.
 */
#ifndef RV_STRATEGY_INDEX_H
#define RV_STRATEGY_INDEX_H

#include <stdint.h>

#include "base/arena.h"

enum { RV_NO_NUMBER = 0xffffffffu };

struct rv_index_slot {
    uint64_t key;
    uint32_t number; /* 1 + the key's number; 0: free */
};

/* Zeroed: empty. */
struct rv_index {
    struct rv_index_slot *slots;
    void *items;            /* by number; the user's type, always the same */
    uint32_t capacity;      /* of slots; 0 or a power of two, at most two thirds full */
    uint32_t item_capacity; /* of items */
    uint32_t count;         /* keys */
};

/* The key's number, or RV_NO_NUMBER. */
uint32_t rv_index_find(const struct rv_index *index, uint64_t key);
/* The same, but a new key is added, with a zeroed item (`items` may move). RV_NO_NUMBER: there are `limit` keys
 * already, or the arena is full; nothing has changed then. */
uint32_t rv_index_add(struct rv_index *index, struct rv_arena *arena, uint64_t key, size_t item_size,
                      uint32_t limit);

#endif
