/* The heap: chunks, lookup, quarantine.
 *
 * Carving. New memory is taken from the bottom of the arena upwards, one chunk behind the other whatever
 * their sizes, so that a program with three blocks uses three hundred bytes and not three pages. A chunk is
 * never split or merged: when its block is freed it waits in the quarantine and then in the free list of its
 * size class and kind, and holds another block of that class. Classes are 16 bytes apart up to 256 bytes,
 * then eight to a doubling: at most an eighth is lost. The price is that memory once carved for small blocks
 * never becomes a large one; an execution is short and its memory is restored, so nothing piles up.
 *
 * Lookup. Because chunks are carved upwards, ids are ordered by address, and a chunk owns everything from
 * its start to the start of the next: its block, the redzone behind, and padding skipped for alignment. The
 * page index holds the owner of each page's first byte, so the owner of any address is found by halving
 * between two neighbouring index entries: at most 7 steps for the smallest chunks, none for large ones.
 *
 * Redzones. Behind every block at least 16 bytes (64 from 256 bytes on, 256 from 4 KB on: large structures are
 * overrun in large strides) belong to nobody; they are also what lies before the next block. Bytes between
 * the size asked for and the end of the chunk are redzone too, so overruns are exact to the byte.
 *
 * Shadow. Invariant: for every granule of 8 bytes below the used part, the shadow byte is 0 or n where the
 * owner is live and all or the first n bytes belong to its block, RV_SHADOW_FREED where the owner's block is
 * freed, RV_SHADOW_REDZONE elsewhere. Above the used part it is 0, which is why carving has to write the
 * redzone only.
 *
 * Blocks of 256 KB and more get whole pages. Nothing here ever gives pages back with madvise: that would
 * bypass the snapshot's write tracking.
 *
 * Measured here (bench/bench_snapshot.c, 64-byte blocks, 8 frames of origin): see its "malloc" and "free"
 * lines; the hash of the origin is the largest part.
 */
#include "runtime/heap_internal.h"
#include "runtime/sys.h"

enum { LARGE = 256 << 10, SEARCH = 32 /* chunks looked at where the first may not fit */ };

static uint8_t *shadow_at(uintptr_t offset) { return (uint8_t *)RV_HEAP_SHADOW + (offset >> 3); }
static uintptr_t start_of(const struct rv_chunk *chunk) { return (uintptr_t)chunk->start * RV_GRANULE; }
static uintptr_t length_of(const struct rv_chunk *chunk) { return (uintptr_t)chunk->granules * RV_GRANULE; }
static uintptr_t align_up(uintptr_t value, uintptr_t align) { return (value + align - 1) & ~(align - 1); }

static void fill(uint8_t *from, uint8_t byte, size_t count) { __builtin_memset(from, byte, count); }

/* ---- size classes ---- */

static size_t redzone_for(size_t size) { return size < 256 ? 16 : size < 4096 ? 64 : 256; }

/* The class whose chunks have at least this many granules (1 .. 2^32), and how many they have. */
static unsigned class_of(uint64_t granules, uint64_t *rounded) {
    if (granules <= 16) {
        *rounded = granules;
        return (unsigned)granules;
    }
    uint64_t last = granules - 1;
    unsigned shift = 63u - (unsigned)__builtin_clzl(last) - 3;
    unsigned eighth = (unsigned)(last >> shift); /* 8 .. 15 */
    *rounded = ((uint64_t)eighth + 1) << shift;
    return 16 + (shift - 1) * 8 + (eighth - 8) + 1;
}

struct demand {
    size_t size;
    size_t align;
    uint64_t granules; /* of a new chunk */
    uint64_t least;    /* granules that suffice */
    unsigned class;
    enum rv_chunk_kind kind;
};

static struct demand demand_for(size_t size, size_t align) {
    struct demand demand = {.size = size, .align = align < RV_GRANULE ? RV_GRANULE : align};
    demand.least = (size + redzone_for(size) + RV_GRANULE - 1) / RV_GRANULE;
    demand.class = class_of(demand.least, &demand.granules);
    demand.kind = demand.align > 64           ? RV_CHUNK_PAGE
                  : demand.align > RV_GRANULE ? RV_CHUNK_LINE
                                              : RV_CHUNK_PLAIN;
    if (size >= LARGE) {
        /* whole pages, and not rounded up to the class: an eighth would be megabytes of redzone */
        demand.kind = RV_CHUNK_PAGE;
        demand.granules = align_up(demand.least, RV_HEAP_PAGE / RV_GRANULE);
    }
    if (demand.kind == RV_CHUNK_LINE && demand.align < 64) demand.align = 64;
    if (demand.kind == RV_CHUNK_PAGE && demand.align < RV_HEAP_PAGE) demand.align = RV_HEAP_PAGE;
    return demand;
}

/* ---- getting a chunk ---- */

/* A recycled chunk of this list that fits; 0: none among the first few. */
static uint32_t take_from(uint32_t *link, const struct demand *demand) {
    for (unsigned tries = 0; *link && tries < SEARCH; tries++) {
        struct rv_chunk *chunk = rv_heap_chunk(*link);
        if (chunk->granules >= demand->least && start_of(chunk) % demand->align == 0) {
            uint32_t id = *link;
            *link = chunk->next;
            return id;
        }
        link = &chunk->next;
    }
    return 0;
}

static uint32_t recycle(const struct demand *demand) {
    uint32_t *lists = rv_heap()->free[demand->kind];
    uint32_t id = take_from(&lists[demand->class], demand);
    if (id || demand->size < LARGE) return id;
    /* Large blocks differ in size from each other: up to twice what is needed is better than new memory. */
    for (unsigned next = demand->class + 1; next <= demand->class + 8 && next < RV_HEAP_CLASSES; next++)
        if ((id = take_from(&lists[next], demand)) != 0) return id;
    return 0;
}

/* Enters the new chunk into the page index: pages that begin in [from, start) still belong to the one before. */
static void index_pages(uint32_t id, uintptr_t from, uintptr_t start, uintptr_t end) {
    uint32_t *index = (uint32_t *)RV_HEAP_INDEX;
    for (uintptr_t page = align_up(from, RV_HEAP_PAGE); page < end; page += RV_HEAP_PAGE)
        index[page / RV_HEAP_PAGE] = page < start ? id - 1 : id;
}

static uint32_t carve(const struct demand *demand) {
    struct rv_heap *heap = rv_heap();
    uintptr_t from = heap->used[RV_PART_ARENA];
    uintptr_t start = align_up(RV_HEAP_BASE + from, demand->align) - RV_HEAP_BASE;
    uintptr_t end = start + demand->granules * RV_GRANULE;
    size_t table = (heap->chunks + (size_t)2) * sizeof(struct rv_chunk);
    size_t index = (align_up(end, RV_HEAP_PAGE) / RV_HEAP_PAGE) * sizeof(uint32_t);
    if (start < from || end > RV_HEAP_SIZE) return 0;
    if (!rv_heap_reach(RV_PART_ARENA, end) || !rv_heap_reach(RV_PART_SHADOW, end / 8) ||
        !rv_heap_reach(RV_PART_TABLE, table) || !rv_heap_reach(RV_PART_INDEX, index))
        return 0;
    uint32_t id = ++heap->chunks;
    heap->used[RV_PART_ARENA] = end;
    heap->used[RV_PART_SHADOW] = end / 8;
    heap->used[RV_PART_TABLE] = table;
    heap->used[RV_PART_INDEX] = index;
    index_pages(id, from, start, end);
    fill(shadow_at(from), RV_SHADOW_REDZONE, (start - from) >> 3);
    struct rv_chunk *chunk = rv_heap_chunk(id);
    chunk->start = (uint32_t)(start / RV_GRANULE);
    chunk->granules = (uint32_t)demand->granules;
    chunk->kind = demand->kind & 3u;
    chunk->class = demand->class & 0xffu;
    return id;
}

void *rv_heap_allocate(size_t size, size_t align, const struct rv_heap_origin *origin) {
    struct rv_heap *heap = rv_heap();
    RV_INVARIANT((align & (align - 1)) == 0);
    if (size > heap->limit - heap->live || size >= RV_HEAP_SIZE || align >= RV_HEAP_SIZE) return NULL;
    struct demand demand = demand_for(size, align);
    uint32_t id = recycle(&demand);
    bool used_before = id != 0;
    if (!id) id = carve(&demand);
    if (!id) return NULL;

    struct rv_chunk *chunk = rv_heap_chunk(id);
    RV_INVARIANT(!chunk->live && length_of(chunk) >= size + redzone_for(size));
    chunk->size = size & 0xffffffffffu;
    chunk->live = 1;
    chunk->number = ++heap->numbers;
    chunk->allocated = rv_heap_intern(origin);
    chunk->released = 0;
    chunk->next = 0;
    heap->live += size;

    uint8_t *shadow = shadow_at(start_of(chunk));
    size_t whole = size >> 3;
    if (used_before) fill(shadow, 0, whole);
    if (size & 7) shadow[whole++] = (uint8_t)(size & 7);
    fill(shadow + whole, RV_SHADOW_REDZONE, (length_of(chunk) >> 3) - whole);
    return (void *)(RV_HEAP_BASE + start_of(chunk));
}

/* ---- lookup ---- */

/* The chunk that owns this address of the arena; 0: none. */
static uint32_t owner_of(uintptr_t address) {
    uintptr_t offset = address - RV_HEAP_BASE;
    const struct rv_heap *heap = rv_heap();
    if (!rv_heap_ready() || offset >= heap->used[RV_PART_ARENA]) return 0;
    const uint32_t *index = (const uint32_t *)RV_HEAP_INDEX;
    uintptr_t page = offset / RV_HEAP_PAGE;
    bool last = (page + 1) * sizeof(uint32_t) >= heap->used[RV_PART_INDEX];
    uint32_t low = index[page]; /* invariant: starts at or before the address; 0 counts as that */
    uint32_t count = (last ? heap->chunks : index[page + 1]) - low;
    uint32_t granule = (uint32_t)(offset / RV_GRANULE);
    while (count) { /* the owner is in low .. low + count */
        uint32_t half = (count + 1) / 2;
        bool above = rv_heap_chunk(low + half)->start <= granule;
        low = above ? low + half : low;
        count = above ? count - half : half - 1;
    }
    return low;
}

size_t rv_heap_size(const void *address) {
    uint32_t id = owner_of((uintptr_t)address);
    const struct rv_chunk *chunk = rv_heap_chunk(id);
    if (!id || !chunk->live || RV_HEAP_BASE + start_of(chunk) != (uintptr_t)address) return 0;
    return chunk->size;
}

static void describe(const struct rv_chunk *chunk, struct rv_heap_block *block) {
    block->number = chunk->number;
    block->freed = !chunk->live;
    block->address = RV_HEAP_BASE + start_of(chunk);
    block->size = chunk->size;
    rv_heap_origin_of(chunk->allocated, &block->allocated);
    rv_heap_origin_of(chunk->released, &block->released);
}

bool rv_heap_find(uintptr_t address, struct rv_heap_block *block) {
    uint32_t id = owner_of(address);
    if (id) describe(rv_heap_chunk(id), block);
    return id != 0;
}

bool rv_heap_next(uint32_t *cursor, struct rv_heap_block *block) {
    uint32_t last = rv_heap_ready() ? rv_heap()->chunks : 0;
    while (*cursor < last) {
        const struct rv_chunk *chunk = rv_heap_chunk(++*cursor);
        if (!chunk->live) continue;
        describe(chunk, block);
        return true;
    }
    return false;
}

uint32_t rv_heap_number(uintptr_t address, uint32_t *offset) {
    uint32_t id = owner_of(address);
    if (!id) return 0;
    const struct rv_chunk *chunk = rv_heap_chunk(id);
    uintptr_t distance = address - RV_HEAP_BASE - start_of(chunk);
    *offset = distance > UINT32_MAX ? UINT32_MAX : (uint32_t)distance;
    return chunk->number;
}

bool rv_heap_accessible_slow(uintptr_t address, size_t size) {
    if (!size) return true;
    if (!rv_heap_ready()) return false;
    uintptr_t offset = address - RV_HEAP_BASE;
    uintptr_t used = rv_heap()->used[RV_PART_ARENA];
    if (offset >= used || size > used - offset) return false;
    uintptr_t end = offset + size;
    const uint8_t *shadow = (const uint8_t *)RV_HEAP_SHADOW;
    uintptr_t granule = offset >> 3, last = (end - 1) >> 3;
    typedef uint64_t __attribute__((may_alias, aligned(1))) eight;
    for (; granule + 8 <= last; granule += 8)
        if (*(const eight *)(shadow + granule)) return false; /* before the last one all must be whole */
    for (; granule < last; granule++)
        if (shadow[granule]) return false;
    uint8_t byte = shadow[last];
    return byte == 0 || (byte < 8 && ((end - 1) & 7) < byte);
}

/* ---- release ---- */

/* Moves chunks out of the quarantine after which enough has been freed. */
static void drain(struct rv_heap *heap) {
    while (heap->oldest) {
        uint32_t id = heap->oldest;
        struct rv_chunk *chunk = rv_heap_chunk(id);
        size_t length = length_of(chunk);
        if (heap->quarantined - length < RV_HEAP_QUARANTINE) break;
        heap->quarantined -= length;
        heap->oldest = chunk->next;
        if (!heap->oldest) heap->newest = 0;
        /* A large chunk is not as long as its class says, so it serves the classes it can fill: its own
         * list is searched for one that is long enough. */
        uint32_t *list = &heap->free[chunk->kind][chunk->class];
        chunk->next = *list;
        *list = id;
    }
}

enum rv_heap_status rv_heap_release(void *address, const struct rv_heap_origin *origin) {
    struct rv_heap *heap = rv_heap();
    uint32_t id = owner_of((uintptr_t)address);
    if (!id) return RV_HEAP_NOT_A_BLOCK;
    struct rv_chunk *chunk = rv_heap_chunk(id);
    if (RV_HEAP_BASE + start_of(chunk) != (uintptr_t)address) return RV_HEAP_NOT_A_BLOCK;
    if (!chunk->live) return RV_HEAP_DOUBLE_FREE;

    chunk->live = 0;
    chunk->released = rv_heap_intern(origin);
    heap->live -= chunk->size;
    fill(shadow_at(start_of(chunk)), RV_SHADOW_FREED, (chunk->size + 7) >> 3);

    chunk->next = 0;
    if (heap->newest)
        rv_heap_chunk(heap->newest)->next = id;
    else
        heap->oldest = id;
    heap->newest = id;
    heap->quarantined += length_of(chunk);
    drain(heap);
    return RV_HEAP_OK;
}
