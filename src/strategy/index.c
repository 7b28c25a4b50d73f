#include "strategy/index.h"

#include "strategy/sample.h"

enum { FIRST_CAPACITY = 64 };

/* Where the key is, or the free slot where it would go. The table has a free slot. */
static struct rv_index_slot *slot_of(struct rv_index_slot *slots, uint32_t capacity, uint64_t key) {
    uint64_t hash = (key ^ key >> 32) * 0x9e3779b97f4a7c15u;
    uint32_t at = (uint32_t)(hash >> 32) & (capacity - 1);
    while (slots[at].number && slots[at].key != key) at = (at + 1) & (capacity - 1);
    return &slots[at];
}

uint32_t rv_index_find(const struct rv_index *index, uint64_t key) {
    if (!index->capacity) return RV_NO_NUMBER;
    return slot_of(index->slots, index->capacity, key)->number - 1; /* a free slot's 0 becomes RV_NO_NUMBER */
}

/* Twice the slots. The old ones stay behind in the arena: less than what the new ones take. */
static bool enlarge(struct rv_index *index, struct rv_arena *arena) {
    uint32_t capacity = index->capacity ? index->capacity * 2 : FIRST_CAPACITY;
    struct rv_index_slot *slots = rv_arena_alloc(arena, capacity * sizeof *slots);
    if (!slots) return false;
    for (uint32_t i = 0; i < index->capacity; i++)
        if (index->slots[i].number) *slot_of(slots, capacity, index->slots[i].key) = index->slots[i];
    index->slots = slots;
    index->capacity = capacity;
    return true;
}

uint32_t rv_index_add(struct rv_index *index, struct rv_arena *arena, uint64_t key, size_t item_size,
                      uint32_t limit) {
    uint32_t known = rv_index_find(index, key);
    if (known != RV_NO_NUMBER) return known;
    if (index->count >= limit) return RV_NO_NUMBER;
    void *items = rv_grow(arena, index->items, &index->item_capacity, index->count, item_size);
    if (!items) return RV_NO_NUMBER;
    index->items = items;
    if (index->count >= index->capacity / 3 * 2 && !enlarge(index, arena)) return RV_NO_NUMBER;
    *slot_of(index->slots, index->capacity, key) = (struct rv_index_slot){key, ++index->count};
    return index->count - 1;
}
