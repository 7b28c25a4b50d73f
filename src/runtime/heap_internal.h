/* What the heap's files share: heap.c (allocation, lookup), heap_origin.c (who did it), heap_map.c (addresses).
 *
 * The heap is six reservations at fixed addresses, each used from its bottom:
 *
 *   control   this file's struct rv_heap: counters, list heads                     (fixed size)
 *   table     one struct rv_chunk of 32 bytes per chunk, by chunk id; 0 is none
 *   index     per page of the arena, the chunk that owns the page's first byte    (4 bytes per 4096)
 *   origins   interned call stacks
 *   shadow    one byte per 8 of the arena
 *   arena     the chunks themselves; no headers between them: what the program overwrites is never ours
 */
#ifndef RV_RUNTIME_HEAP_INTERNAL_H
#define RV_RUNTIME_HEAP_INTERNAL_H

#include "runtime/heap.h"

enum {
    RV_GRANULE = 16,
    RV_HEAP_PAGE = 4096,
    RV_HEAP_CLASSES = 241, /* class_of() of the whole 64 GiB, plus one */
};

/* How chunks were aligned when carved; recycled chunks stay with their kind. */
enum rv_chunk_kind {
    RV_CHUNK_PLAIN,
    RV_CHUNK_LINE /* 64 */,
    RV_CHUNK_PAGE /* 4096 or more */,
    RV_CHUNK_KINDS
};

enum rv_heap_part {
    RV_PART_CONTROL,
    RV_PART_TABLE,
    RV_PART_INDEX,
    RV_PART_ORIGINS,
    RV_PART_SHADOW,
    RV_PART_ARENA
};

#define RV_HEAP_CONTROL ((uintptr_t)0x620000000000)
#define RV_HEAP_TABLE   ((uintptr_t)0x621000000000)
#define RV_HEAP_INDEX   ((uintptr_t)0x622000000000)
#define RV_HEAP_ORIGINS ((uintptr_t)0x623000000000)

/* A piece of the arena, carved once, then holding one block after another. Ids grow with addresses, for
 * chunks are carved from the bottom upwards and never split or merged. */
struct rv_chunk {
    uint32_t start;     /* granules from the base of the arena: where its blocks begin */
    uint32_t granules;  /* length, redzone included */
    uint64_t size : 40; /* bytes asked for, by the present or last block */
    uint64_t live : 1;
    uint64_t kind : 2;
    uint64_t class : 8;
    uint32_t number;    /* of the block */
    uint32_t allocated; /* origin ids */
    uint32_t released;
    uint32_t next; /* freed: next in the quarantine or in the free list */
};
_Static_assert(sizeof(struct rv_chunk) == 32, "the table costs 32 bytes a block");

struct rv_heap {
    size_t used[RV_HEAP_REGIONS]; /* bytes, by part */
    size_t limit;
    size_t live;             /* bytes asked for by live blocks */
    size_t quarantined;      /* bytes of chunks in quarantine */
    uint32_t chunks;         /* highest chunk id */
    uint32_t numbers;        /* highest block number */
    uint32_t oldest, newest; /* ends of the quarantine */
    uint32_t origin_root;
    uint32_t free[RV_CHUNK_KINDS][RV_HEAP_CLASSES];
};

static inline struct rv_heap *rv_heap(void) { return (struct rv_heap *)RV_HEAP_CONTROL; }
static inline struct rv_chunk *rv_heap_chunk(uint32_t id) { return (struct rv_chunk *)RV_HEAP_TABLE + id; }

/* heap_map.c. Makes the first `used` bytes of a part usable; false: no room. */
extern size_t rv_heap_committed[RV_HEAP_REGIONS];
bool rv_heap_commit(enum rv_heap_part part, size_t used);
static inline bool rv_heap_reach(enum rv_heap_part part, size_t used) {
    return __builtin_expect(used <= rv_heap_committed[part], 1) || rv_heap_commit(part, used);
}
/* Whether rv_heap_init has succeeded. */
static inline bool rv_heap_ready(void) { return rv_heap_committed[RV_PART_CONTROL] != 0; }

/* heap_origin.c. The id of an equal origin, made if need be; 0: unknown (none given, or no room). */
uint32_t rv_heap_intern(const struct rv_heap_origin *origin);
void rv_heap_origin_of(uint32_t id, struct rv_heap_origin *origin);

#endif
