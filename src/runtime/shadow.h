/* The cells of shadow.c, for those who cannot afford a call: the hooks of plain accesses. */
#ifndef RV_RUNTIME_SHADOW_H
#define RV_RUNTIME_SHADOW_H

#include "runtime/engine.h"

enum { RV_SHADOW_SHIFT = 21, RV_SHADOW_TABLE = 1 << 13, RV_SHADOW_CELLS = 1 << (RV_SHADOW_SHIFT - 3) };

/* execution 16 | bytes 8 | thread 16 | displaced 1 | site 23, from the top; 0: empty */
struct rv_cells {
    uint64_t write, read;
};

struct rv_shadow_region {
    uintptr_t number; /* address >> RV_SHADOW_SHIFT; 0: free */
    struct rv_cells *cells;
};

struct rv_shadow {
    uint64_t execution; /* 1 .. 65535 */
    struct rv_shadow_region *table;
};
extern struct rv_shadow rv_shadow;

#define RV_CELL_DISPLACED ((uint64_t)1 << 23)      /* earlier cells of the granule are in its list */
#define RV_CELL_THREAD    ((uint64_t)0xffff << 24) /* all ones: several threads, at the same site */
#define RV_CELL_BYTES     ((uint64_t)0xff << 40)

/* Both sites have touched the same bytes, one of them writing: the earlier one as its cell says. */
void rv_shadow_conflict(uint64_t cell, struct rv_site *site);
struct rv_cells *rv_shadow_find_slow(uintptr_t number);
/* A cell of this execution gives way to another one: what the new one does not stand for goes to the list. Returns the
 * new cell. */
uint64_t rv_shadow_displace(uint64_t old, uint64_t mine, bool write, uintptr_t granule);
/* Conflicts with the cells in the list of this granule. */
void rv_shadow_look_back(uint64_t mine, bool write, struct rv_site *site, uintptr_t granule);

static inline uintptr_t rv_shadow_slot(uintptr_t number) { return number * 0x9e3779b97f4a7c15u >> 51; }

/* The cells of a region of addresses; NULL: no memory for them. */
static inline struct rv_cells *rv_shadow_find(uintptr_t number) {
    const struct rv_shadow_region *region = &rv_shadow.table[rv_shadow_slot(number) & (RV_SHADOW_TABLE - 1)];
    return RV_LIKELY(region->number == number) ? region->cells : rv_shadow_find_slow(number);
}

/* An access of another thread to some of the same bytes in this execution. */
static inline bool rv_cell_meets(uint64_t cell, uint64_t bytes, uint32_t thread) {
    return cell >> 48 == rv_shadow.execution && (cell >> 40 & bytes) &&
           (cell >> 24 & 0xffff) != (thread & 0xffff);
}

/* Whether the last access to these bytes in this execution was the thread's own; `none` if there was none. */
static inline bool rv_cell_own(uint64_t cell, uint64_t bytes, uint32_t thread, bool none) {
    if (cell >> 48 != rv_shadow.execution || !(cell >> 40 & bytes)) return none;
    return (cell >> 24 & 0xffff) == (thread & 0xffff);
}

/* What stands in a cell after an access to it. The same code going through the bytes of a granule is one access, and
 * so are reads of the same bytes by the same code in several threads. */
static inline __attribute__((always_inline)) uint64_t rv_cell_after(uint64_t old, uint64_t mine, bool write,
                                                                    uintptr_t granule) {
    if (RV_LIKELY(old >> 48 != mine >> 48)) return mine;
    uint64_t differ = (old ^ mine) & ~RV_CELL_DISPLACED;
    if (!(differ & ~RV_CELL_BYTES)) return old | mine;
    if (!write && !(differ & ~(RV_CELL_BYTES | RV_CELL_THREAD))) {
        if ((old & RV_CELL_THREAD) == RV_CELL_THREAD && !(mine & ~old & RV_CELL_BYTES)) return old;
        if (!(differ & RV_CELL_BYTES)) return old | RV_CELL_THREAD;
    }
    return rv_shadow_displace(old, mine, write, granule);
}

/* One granule, at this address, is touched. The answer is rv_shadow_access's. */
static inline __attribute__((always_inline)) bool rv_shadow_touch(struct rv_cells *cells, uintptr_t granule,
                                                                  uint64_t bytes, bool write,
                                                                  struct rv_site *site, uint32_t thread) {
    uint64_t mine = rv_shadow.execution << 48 | bytes << 40 | (uint64_t)(thread & 0xffff) << 24 |
                    (uint64_t)(site - rv.area->sites);
    uint64_t written = cells->write, was_read = cells->read;
    if (!write) {
        if (was_read != mine) cells->read = rv_cell_after(was_read, mine, false, granule);
        if (RV_LIKELY(written >> 48 != rv_shadow.execution)) return false;
    }
    if (RV_UNLIKELY(rv_cell_meets(written, bytes, thread))) rv_shadow_conflict(written, site);
    if (RV_UNLIKELY((written | (write ? was_read : 0)) & RV_CELL_DISPLACED))
        rv_shadow_look_back(mine, write, site, granule);
    if (!write) return rv_cell_own(written, bytes, thread, false);
    if (RV_UNLIKELY(rv_cell_meets(was_read, bytes, thread))) rv_shadow_conflict(was_read, site);
    if (written != mine) cells->write = rv_cell_after(written, mine, true, granule);
    return rv_cell_own(written, bytes, thread, true) && rv_cell_own(was_read, bytes, thread, true);
}

#endif
