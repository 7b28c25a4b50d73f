#include "analysis/clock.h"

#include <string.h>

static unsigned class_of(uint32_t capacity) {
    return (unsigned)__builtin_ctz(capacity) - (unsigned)__builtin_ctz(RV_CLOCK_SMALLEST);
}

static void give_back(struct rv_clock_pool *pool, uint64_t *memory, uint32_t capacity) {
    if (!capacity) return;
    unsigned class = class_of(capacity);
    memcpy(memory, &pool->free[class], sizeof(uint64_t *));
    pool->free[class] = memory;
}

static uint64_t *take(struct rv_clock_pool *pool, uint32_t capacity) {
    unsigned class = class_of(capacity);
    if (class >= RV_CLOCK_CLASSES) return NULL;
    uint64_t *memory = pool->free[class];
    if (!memory) return rv_arena_alloc(pool->arena, capacity * sizeof *memory);
    memcpy(&pool->free[class], memory, sizeof(uint64_t *));
    return memory;
}

/* Room for this many entries; those above `length` are written when it grows. */
static bool reserve(struct rv_clock_pool *pool, struct rv_clock *clock, uint32_t entries) {
    if (entries <= clock->capacity) return true;
    uint32_t capacity = RV_CLOCK_SMALLEST;
    while (capacity < entries) capacity *= 2;
    uint64_t *memory = take(pool, capacity);
    if (!memory) return false;
    if (clock->length) memcpy(memory, clock->at, clock->length * sizeof *memory);
    give_back(pool, clock->at, clock->capacity);
    clock->at = memory;
    clock->capacity = capacity;
    return true;
}

static bool lengthen(struct rv_clock_pool *pool, struct rv_clock *clock, uint32_t length) {
    if (length <= clock->length) return true;
    if (!reserve(pool, clock, length)) return false;
    memset(clock->at + clock->length, 0, (length - clock->length) * sizeof *clock->at);
    clock->length = length;
    return true;
}

bool rv_clock_set(struct rv_clock_pool *pool, struct rv_clock *clock, uint32_t slot, uint64_t value) {
    if (!lengthen(pool, clock, slot + 1)) return false;
    clock->at[slot] = value;
    return true;
}

bool rv_clock_join(struct rv_clock_pool *pool, struct rv_clock *into, const struct rv_clock *from) {
    if (!lengthen(pool, into, from->length)) return false;
    for (uint32_t i = 0; i < from->length; i++)
        if (from->at[i] > into->at[i]) into->at[i] = from->at[i];
    return true;
}

bool rv_clock_copy(struct rv_clock_pool *pool, struct rv_clock *into, const struct rv_clock *from) {
    if (!reserve(pool, into, from->length)) return false;
    if (from->length) memcpy(into->at, from->at, from->length * sizeof *into->at);
    into->length = from->length;
    return true;
}

void rv_clock_drop(struct rv_clock_pool *pool, struct rv_clock *clock) {
    give_back(pool, clock->at, clock->capacity);
    *clock = (struct rv_clock){0};
}
