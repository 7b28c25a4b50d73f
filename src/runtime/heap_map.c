/* Where the heap lies: fixed addresses, reserved once, given memory by the kernel page by page.
 *
 * The ordinary case is a writable MAP_NORESERVE mapping of everything: growing costs nothing but the page
 * faults. Two systems refuse it. Strict overcommit (vm.overcommit_memory=2) counts every writable private
 * page at once: there the reservation is read-only, which is not counted, and grows by mprotect in steps
 * that double. An address space limit (RLIMIT_AS) counts everything: there the reservation is halved until
 * it fits. An arena below 16 MB is no use to anybody, so that is where we give up.
 *
 * Read-only rather than without access, because the inline check in heap.h loads shadow bytes of any heap
 * address that the program touches: above the used part it must read zeros and not fault.
 *
 * Huge pages are declined: the first write to a 2 MB page clears all of it, and the snapshot tracks dirty
 * memory by pages, so one byte would cost 2 MB.
 */
#include <errno.h>
#include <sys/mman.h>

#include "runtime/heap_internal.h"
#include "runtime/sys.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* What the kernel has given, not state of the program: kept outside the regions. */
size_t rv_heap_committed[RV_HEAP_REGIONS];
static size_t reserved[RV_HEAP_REGIONS];

static char *const part_base[RV_HEAP_REGIONS] = {
    [RV_PART_CONTROL] = (char *)RV_HEAP_CONTROL, [RV_PART_TABLE] = (char *)RV_HEAP_TABLE,
    [RV_PART_INDEX] = (char *)RV_HEAP_INDEX,     [RV_PART_ORIGINS] = (char *)RV_HEAP_ORIGINS,
    [RV_PART_SHADOW] = (char *)RV_HEAP_SHADOW,   [RV_PART_ARENA] = (char *)RV_HEAP_BASE,
};

static size_t page_up(size_t size) { return (size + RV_HEAP_PAGE - 1) & ~(size_t)(RV_HEAP_PAGE - 1); }
static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static void unreserve(unsigned parts) {
    for (unsigned i = 0; i < parts; i++) (void)rv_sys_munmap(part_base[i], reserved[i]);
}

/* Reserves all parts for an arena of this size with this protection; all or nothing. */
static bool reserve(size_t arena, int protection) {
    const size_t gib = (size_t)1 << 30;
    reserved[RV_PART_CONTROL] = page_up(sizeof(struct rv_heap));
    reserved[RV_PART_TABLE] = smaller(arena, 4 * gib);
    reserved[RV_PART_INDEX] = page_up(arena / RV_HEAP_PAGE * sizeof(uint32_t));
    reserved[RV_PART_ORIGINS] = smaller(arena / 4, 4 * gib);
    reserved[RV_PART_SHADOW] = arena / 8;
    reserved[RV_PART_ARENA] = arena;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    for (unsigned i = 0; i < RV_HEAP_REGIONS; i++) {
        void *place = rv_sys_mmap(part_base[i], reserved[i], protection, flags, -1, 0);
        if (place == part_base[i]) {
            (void)rv_sys_madvise(place, reserved[i], MADV_NOHUGEPAGE);
            continue;
        }
        if (!rv_sys_failed((long)place)) (void)rv_sys_munmap(place, reserved[i]); /* a kernel before 4.17 */
        unreserve(i);
        return false;
    }
    return true;
}

bool rv_heap_commit(enum rv_heap_part part, size_t used) {
    if (used > reserved[part]) return false;
    size_t wanted = 2 * rv_heap_committed[part];
    if (wanted < used + ((size_t)256 << 10)) wanted = used + ((size_t)256 << 10);
    wanted = smaller(page_up(wanted), reserved[part]);
    if (rv_sys_failed(rv_sys_mprotect(part_base[part], wanted, PROT_READ | PROT_WRITE))) {
        wanted = page_up(used); /* doubling was too much: what is needed may still be there */
        if (rv_sys_failed(rv_sys_mprotect(part_base[part], wanted, PROT_READ | PROT_WRITE))) return false;
    }
    rv_heap_committed[part] = wanted;
    return true;
}

/* The leading redzone is so long that the first block begins on a cache line. */
enum { FIRST_CHUNK = 64 };

static void begin(size_t limit) {
    struct rv_heap *heap = rv_heap();
    heap->limit = limit;
    heap->used[RV_PART_CONTROL] = sizeof(struct rv_heap);
    heap->used[RV_PART_TABLE] = sizeof(struct rv_chunk);
    heap->used[RV_PART_INDEX] = sizeof(uint32_t); /* page 0: none before the first chunk */
    heap->used[RV_PART_ORIGINS] = RV_GRANULE;
    heap->used[RV_PART_SHADOW] = FIRST_CHUNK / 8;
    heap->used[RV_PART_ARENA] = FIRST_CHUNK;
    uint8_t *shadow = (uint8_t *)RV_HEAP_SHADOW;
    for (unsigned i = 0; i < FIRST_CHUNK / 8; i++) shadow[i] = RV_SHADOW_REDZONE;
}

bool rv_heap_init(size_t limit) {
    if (rv_heap_ready()) return false;
    for (size_t arena = RV_HEAP_SIZE; arena >= (size_t)16 << 20; arena /= 2) {
        if (reserve(arena, PROT_READ | PROT_WRITE)) {
            for (unsigned i = 0; i < RV_HEAP_REGIONS; i++) rv_heap_committed[i] = reserved[i];
            begin(limit);
            return true;
        }
        if (!reserve(arena, PROT_READ)) continue;
        bool reached = true;
        for (unsigned i = 0; i < RV_HEAP_REGIONS; i++) reached = reached && rv_heap_commit(i, 1);
        if (reached) {
            begin(limit);
            return true;
        }
        unreserve(RV_HEAP_REGIONS);
        for (unsigned i = 0; i < RV_HEAP_REGIONS; i++) rv_heap_committed[i] = 0;
    }
    return false;
}

unsigned rv_heap_regions(struct rv_region *regions) {
    struct rv_heap *heap = rv_heap();
    for (unsigned i = 0; i < RV_HEAP_REGIONS; i++)
        regions[i] = (struct rv_region){.base = part_base[i], .used = &heap->used[i]};
    regions[RV_PART_CONTROL] = (struct rv_region){.base = part_base[0], .fixed = sizeof(struct rv_heap)};
    return RV_HEAP_REGIONS;
}
