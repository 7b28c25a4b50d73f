/* Who touched which memory last, in this execution: the ground of conflict history and coverage.
 *
 * For each granule of 8 bytes two cells: the last write and the last read, each with thread, site, the bytes it
 * touched, and the execution it belongs to (cells of earlier executions count as empty, so nothing needs
 * clearing in between). When two threads touch the same bytes and one of them writes, both sites are in conflict:
 * from then on they are scheduling points, in this and all later executions.
 *
 * One reader is kept, not all. A reader that is overwritten by a later reader before the write comes is not
 * found in this execution; but the later reader and the writer are found, and once the writer may go before
 * the later reader, an execution comes in which the earlier reader is the last. An exhaustive search
 * searches again as long as anything was learned, so it does not end before.
 *
 * Cells lie in chunks for 2 MiB of addresses, found through a small hash table: exact, whatever the addresses.
 *
 *     cell: execution 16 | bytes 8 | thread 16 | site 18, from the top; 0: empty
 */
#include "runtime/shadow.h"

#include <sys/mman.h>

#include "runtime/reserve.h"
#include "runtime/sys.h"

struct rv_shadow rv_shadow = {.execution = 1};

void rv_shadow_init(void) {
    rv_shadow.table = rv_reserve(RV_SHADOW_TABLE * sizeof *rv_shadow.table);
    if (!rv_shadow.table) rv_unusable("no memory for the conflict history");
}

void rv_shadow_begin(void) {
    if (++rv_shadow.execution < 1 << 16) return;
    rv_shadow.execution = 1; /* numbers are used again: old cells must go */
    for (unsigned i = 0; i < RV_SHADOW_TABLE; i++)
        if (rv_shadow.table[i].cells)
            (void)rv_sys_madvise(rv_shadow.table[i].cells, RV_SHADOW_CELLS * sizeof(struct rv_cells),
                                 MADV_DONTNEED);
}

struct rv_cells *rv_shadow_find_slow(uintptr_t number) {
    uintptr_t at = rv_shadow_slot(number);
    for (unsigned tries = 0; tries < 64; tries++, at++) {
        struct rv_shadow_region *region = &rv_shadow.table[at & (RV_SHADOW_TABLE - 1)];
        if (region->number == number) return region->cells;
        if (region->number) continue;
        region->cells = rv_reserve(RV_SHADOW_CELLS * sizeof *region->cells);
        if (!region->cells) return NULL;
        region->number = number;
        return region->cells;
    }
    return NULL;
}

void rv_shadow_conflict(uint64_t cell, struct rv_site *site) {
    struct rv_site *earlier = &rv.area->sites[cell & (RV_MAX_SITES - 1)];
    rv_site_conflict(earlier);
    rv_site_conflict(site);
    rv_site_pair(earlier, site);
}

bool rv_shadow_access(uintptr_t address, size_t size, bool write, struct rv_site *site, uint32_t thread) {
    uintptr_t end = address + (size ? size : 1);
    if (end < address) return false;
    bool own = false;
    struct rv_cells *chunk = NULL;
    uintptr_t chunk_number = 0;
    for (uintptr_t granule = address & ~(uintptr_t)7; granule < end; granule += 8) {
        if (!chunk || granule >> RV_SHADOW_SHIFT != chunk_number) {
            chunk_number = granule >> RV_SHADOW_SHIFT;
            chunk = rv_shadow_find(chunk_number);
            if (!chunk) { /* no memory to remember: be on the safe side */
                rv_site_conflict(site);
                return false;
            }
        }
        uint64_t bytes = 0xff;
        if (granule < address) bytes &= 0xffu << (address - granule);
        if (granule + 8 > end) bytes &= 0xffu >> (granule + 8 - end);
        bool of_this =
            rv_shadow_touch(&chunk[granule >> 3 & (RV_SHADOW_CELLS - 1)], bytes & 0xff, write, site, thread);
        if (granule <= address) own = of_this;
    }
    return own;
}
