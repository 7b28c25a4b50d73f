/* Who allocated and who freed: call stacks, each kept once.
 *
 * A program calls malloc from few places but often, so a block keeps 4 bytes: the place of an interned
 * record of thread and frames. Records form a trie by their hash, two bits a level, through the records
 * themselves: no bucket array to set aside or to enlarge, so a program with five blocks uses half a KB, and
 * one with ten thousand stacks looks seven records deep.
 *
 * The records belong to the execution like everything in the heap: they vanish with the restore and are
 * made again. An id is the record's offset in granules; 0 is "unknown".
 */
#include "runtime/heap_internal.h"

struct record {
    uint32_t child[4]; /* by the next two bits of the hash */
    uint32_t hash;     /* upper half, to compare before comparing frames */
    uint32_t thread;
    uint32_t count;
    uint32_t unused; /* frames stay aligned, records stay a multiple of a granule */
    uint64_t frames[];
};
_Static_assert(sizeof(struct record) % RV_GRANULE == 0, "ids count granules");

static struct record *record_of(uint32_t id) {
    return (struct record *)(RV_HEAP_ORIGINS + (uintptr_t)id * RV_GRANULE);
}

static uint32_t frames_in(const struct rv_heap_origin *origin) {
    const uint32_t room = sizeof(origin->frames) / sizeof(origin->frames[0]);
    return origin->frame_count < room ? origin->frame_count : room;
}

static uint64_t hash_of(const struct rv_heap_origin *origin, uint32_t count) {
    const uint64_t multiplier = 0x9e3779b97f4a7c15u;
    uint64_t hash = (origin->thread + 1) * multiplier;
    for (uint32_t i = 0; i < count; i++) {
        hash = (hash ^ origin->frames[i]) * multiplier;
        hash ^= hash >> 29; /* the upper bits decide the way through the trie: let the lower ones see them */
    }
    return hash * multiplier;
}

static bool equals(const struct record *record, uint64_t hash, const struct rv_heap_origin *origin,
                   uint32_t count) {
    if (record->hash != hash >> 32 || record->thread != origin->thread || record->count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (record->frames[i] != origin->frames[i]) return false;
    return true;
}

uint32_t rv_heap_intern(const struct rv_heap_origin *origin) {
    if (!origin) return 0;
    struct rv_heap *heap = rv_heap();
    uint32_t count = frames_in(origin);
    uint64_t hash = hash_of(origin, count);
    uint32_t *link = &heap->origin_root;
    for (uint64_t way = hash; *link; way <<= 2) {
        struct record *record = record_of(*link);
        if (equals(record, hash, origin, count)) return *link;
        link = &record->child[way >> 62];
    }
    size_t place = heap->used[RV_PART_ORIGINS];
    size_t size =
        sizeof(struct record) + (count * sizeof(uint64_t) + RV_GRANULE - 1) / RV_GRANULE * RV_GRANULE;
    if (!rv_heap_reach(RV_PART_ORIGINS, place + size)) return 0;
    heap->used[RV_PART_ORIGINS] = place + size;
    uint32_t id = (uint32_t)(place / RV_GRANULE);
    struct record *record = record_of(id);
    record->hash = (uint32_t)(hash >> 32);
    record->thread = origin->thread;
    record->count = count;
    for (uint32_t i = 0; i < count; i++) record->frames[i] = origin->frames[i];
    *link = id;
    return id;
}

void rv_heap_origin_of(uint32_t id, struct rv_heap_origin *origin) {
    *origin = (struct rv_heap_origin){.thread = UINT32_MAX};
    if (!id) return;
    const struct record *record = record_of(id);
    origin->thread = record->thread;
    origin->frame_count = record->count;
    for (uint32_t i = 0; i < record->count && i < 12; i++) origin->frames[i] = record->frames[i];
}
