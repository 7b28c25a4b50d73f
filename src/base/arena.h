/* A bump allocator over memory that somebody else owns. Nothing is freed one by one; the whole arena is
 * reset or dropped. In a worker the campaign arena lies in shared memory at a fixed address, so that what
 * a strategy has learned outlives the process that learned it, and survives fork per execution.
 *
 *   operation           | needs                        | guarantees
 *   rv_arena_init       | memory, 16-byte aligned       | empty arena
 *   rv_arena_alloc      | -                            | zeroed, 16-byte aligned, or NULL when full
 *   rv_arena_mark/reset | marks nest                   | everything allocated since the mark is gone
 */
#ifndef RV_BASE_ARENA_H
#define RV_BASE_ARENA_H

#include <stddef.h>

struct rv_arena {
    char *base;  /* first byte handed out */
    size_t used; /* bytes handed out so far */
    size_t size; /* capacity in bytes */
    size_t high; /* highest `used` ever: bytes above were never touched and are still zero */
};

void rv_arena_init(struct rv_arena *arena, void *memory, size_t size);
void *rv_arena_alloc(struct rv_arena *arena, size_t size);
static inline size_t rv_arena_mark(const struct rv_arena *arena) { return arena->used; }
static inline void rv_arena_reset(struct rv_arena *arena, size_t mark) { arena->used = mark; }

#endif
