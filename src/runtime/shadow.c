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
#include "runtime/engine.h"

#include <sys/mman.h>

#include "runtime/reserve.h"
#include "runtime/sys.h"

enum { REGION_SHIFT = 21, TABLE = 1 << 13, CELLS = 1 << (REGION_SHIFT - 3) };

struct cells {
    uint64_t write, read;
};

static struct region {
    uintptr_t number; /* address >> REGION_SHIFT; 0: free */
    struct cells *cells;
} *table;
static uint64_t execution = 1; /* 1 .. 65535 */

void rv_shadow_init(void) {
    table = rv_reserve(TABLE * sizeof *table);
    if (!table) rv_unusable("no memory for the conflict history");
}

void rv_shadow_begin(void) {
    if (++execution < 1 << 16) return;
    execution = 1; /* numbers are used again: old cells must go */
    for (unsigned i = 0; i < TABLE; i++)
        if (table[i].cells)
            (void)rv_sys_madvise(table[i].cells, CELLS * sizeof *table[i].cells, MADV_DONTNEED);
}

static struct cells *find(uintptr_t number) {
    uintptr_t at = number * 0x9e3779b97f4a7c15u >> 51;
    for (unsigned tries = 0; tries < 64; tries++, at++) {
        struct region *region = &table[at & (TABLE - 1)];
        if (region->number == number) return region->cells;
        if (region->number) continue;
        region->cells = rv_reserve(CELLS * sizeof *region->cells);
        if (!region->cells) return NULL;
        region->number = number;
        return region->cells;
    }
    return NULL;
}

static uint64_t make_cell(uint64_t bytes, uint32_t thread, const struct rv_site *site) {
    return execution << 48 | bytes << 40 | (uint64_t)(thread & 0xffff) << 24 |
           (uint64_t)(site - rv.area->sites);
}

/* An access of another thread to some of the same bytes in this execution. */
static bool meets(uint64_t cell, uint64_t bytes, uint32_t thread) {
    return cell >> 48 == execution && (cell >> 40 & bytes) && (cell >> 24 & 0xffff) != (thread & 0xffff);
}

static void conflict(uint64_t cell, struct rv_site *site) {
    struct rv_site *earlier = &rv.area->sites[cell & (RV_MAX_SITES - 1)];
    rv_site_conflict(earlier);
    rv_site_conflict(site);
    rv_site_pair(earlier, site);
}

static void touch(struct cells *cells, uint64_t bytes, bool write, struct rv_site *site, uint32_t thread) {
    if (meets(cells->write, bytes, thread)) conflict(cells->write, site);
    if (!write) {
        cells->read = make_cell(bytes, thread, site);
        return;
    }
    if (meets(cells->read, bytes, thread)) conflict(cells->read, site);
    cells->write = make_cell(bytes, thread, site);
}

/* Whether the last access to these bytes in this execution was the thread's own; `none` if there was none. */
static bool is_own(uint64_t cell, uint64_t bytes, uint32_t thread, bool none) {
    if (cell >> 48 != execution || !(cell >> 40 & bytes)) return none;
    return (cell >> 24 & 0xffff) == (thread & 0xffff);
}

bool rv_shadow_access(uintptr_t address, size_t size, bool write, struct rv_site *site, uint32_t thread) {
    uintptr_t end = address + (size ? size : 1);
    if (end < address) return false;
    bool own = false;
    struct cells *chunk = NULL;
    uintptr_t chunk_number = 0;
    for (uintptr_t granule = address & ~(uintptr_t)7; granule < end; granule += 8) {
        if (!chunk || granule >> REGION_SHIFT != chunk_number) {
            chunk_number = granule >> REGION_SHIFT;
            chunk = find(chunk_number);
            if (!chunk) { /* no memory to remember: be on the safe side */
                rv_site_conflict(site);
                return false;
            }
        }
        struct cells *cells = &chunk[granule >> 3 & (CELLS - 1)];
        uint64_t bytes = 0xff;
        if (granule < address) bytes &= 0xffu << (address - granule);
        if (granule + 8 > end) bytes &= 0xffu >> (granule + 8 - end);
        bytes &= 0xff;
        if (granule <= address)
            own = write ? is_own(cells->write, bytes, thread, true) && is_own(cells->read, bytes, thread, true)
                        : is_own(cells->write, bytes, thread, false);
        touch(cells, bytes, write, site, thread);
    }
    return own;
}
