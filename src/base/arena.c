#include "base/arena.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

void rv_arena_init(struct rv_arena *arena, void *memory, size_t size) {
    assert(((uintptr_t)memory & 15) == 0);
    *arena = (struct rv_arena){.base = memory, .size = size};
}

void *rv_arena_alloc(struct rv_arena *arena, size_t size) {
    if (size > arena->size) return NULL;
    size_t rounded = (size + 15) & ~(size_t)15;
    if (rounded > arena->size - arena->used) return NULL;
    char *memory = arena->base + arena->used;
    size_t dirty = arena->high > arena->used ? arena->high - arena->used : 0;
    memset(memory, 0, dirty < rounded ? dirty : rounded);
    arena->used += rounded;
    if (arena->used > arena->high) arena->high = arena->used;
    return memory;
}
