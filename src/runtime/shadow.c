/* Who touched which memory last, in this execution: the ground of conflict history and coverage.
 *
 * For each granule of 8 bytes two cells: the last write and the last read, each with thread, site, the bytes it
 * touched, and the execution it belongs to (cells of earlier executions count as empty, so nothing needs
 * clearing in between). When two threads touch the same bytes and one of them writes, both sites are in conflict:
 * from then on they are scheduling points, in this and all later executions.
 *
 * Another access of the same thread to the same bytes stands for the earlier one: once it is a point, the earlier
 * one is the last in some execution. Nothing else does:
 *   - an access to other bytes of the granule tells nothing of these;
 *   - a read by another thread: in `create(t); x++` beside `x++` in t, t's own read hides main's from t's write in every
 *     execution, and main's read is no point and so never comes later;
 *   - a write by another thread: in `x = 2; assert(x == 2)` beside `x = 3` elsewhere, the thread's own write hides the
 *     other one from its read, and the other one never comes after the read if the assertion fails.
 * Cells displaced by these go to a list of the granule, where later accesses look as well. An exhaustive search calls
 * itself complete only if every pair of accesses in conflict was found, so nothing may be forgotten here: where there
 * is no room, the site counts as in conflict at once.
 *
 * Cells lie in chunks for 2 MiB of addresses, found through a small hash table: exact, whatever the addresses.
 *
 *     cell: execution 16 | bytes 8 | thread 16 | displaced 1 | site 23, from the top; 0: empty
 */
#include "runtime/shadow.h"

#include <string.h>
#include <sys/mman.h>

#include "runtime/reserve.h"
#include "runtime/sys.h"

enum { NODES = 1 << 20, LONGEST_LIST = 64, ENOUGH_THREADS = 2 };
#define LISTS ((uintptr_t)1 << 60) /* number of a region that holds the heads of the lists of another one */

struct node {
    uint64_t cell;
    uint32_t next;
    bool write;
};

struct rv_shadow rv_shadow = {.execution = 1};
static struct node *nodes; /* 0 is no node */
static uint32_t node_count = 1;

/* What was put into a list lately: a loop over the fields of a structure does it again and again. */
struct recent {
    uint64_t cell;
    uintptr_t granule; /* + 1: a write */
};
static struct recent recently[256];

static struct recent *recent_of(uint64_t cell, uintptr_t granule) {
    return &recently[((cell ^ granule >> 3) * 0x9e3779b97f4a7c15u) >> 56];
}

void rv_shadow_init(void) {
    rv_shadow.table = rv_reserve(RV_SHADOW_TABLE * sizeof *rv_shadow.table);
    nodes = rv_reserve(NODES * sizeof *nodes);
    if (!rv_shadow.table || !nodes) rv_unusable("no memory for the conflict history");
}

void rv_shadow_begin(void) {
    node_count = 1;
    if (++rv_shadow.execution < 1 << 16) return;
    rv_shadow.execution = 1; /* numbers are used again: old cells must go */
    memset(recently, 0, sizeof recently);
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

/* Where the list of a granule begins. In `write`: execution 16 | first node. In `read`: the thread that all of the list
 * is about, as in a cell; all ones if there are several. NULL: no memory. */
static struct rv_cells *head_of(uintptr_t granule) {
    struct rv_cells *chunk = rv_shadow_find(granule >> RV_SHADOW_SHIFT | LISTS);
    return chunk ? &chunk[granule >> 3 & (RV_SHADOW_CELLS - 1)] : NULL;
}

static uint32_t first_of(const struct rv_cells *head) {
    return head && head->write >> 48 == rv_shadow.execution ? (uint32_t)head->write : 0;
}

static void add_to_list(struct rv_cells *head, uint64_t cell, bool write) {
    uint32_t first = first_of(head);
    nodes[node_count] = (struct node){.cell = cell, .next = first, .write = write};
    if (!first)
        head->read = cell & RV_CELL_THREAD;
    else if ((head->read ^ cell) & RV_CELL_THREAD)
        head->read = RV_CELL_THREAD;
    head->write = rv_shadow.execution << 48 | node_count++;
}

/* Whether the list stands for the cell already: it has the site with this thread, or with so many others that whoever
 * comes meets one of them. */
static bool is_listed(uint32_t at, uint64_t cell, bool write) {
    uint32_t length = 0, others = 0;
    for (; at; at = nodes[at].next, length++) {
        uint64_t listed = nodes[at].cell;
        if (nodes[at].write != write || (listed ^ cell) & (RV_CELL_DISPLACED - 1)) continue;
        if (!((listed ^ cell) & RV_CELL_THREAD)) {
            nodes[at].cell = listed | cell;
            return true;
        }
        if (!(cell & ~listed & RV_CELL_BYTES)) others++;
    }
    if (length >= LONGEST_LIST) rv_site_conflict(&rv.area->sites[cell & (RV_MAX_SITES - 1)]);
    return others >= ENOUGH_THREADS || length >= LONGEST_LIST;
}

uint64_t rv_shadow_displace(uint64_t old, uint64_t mine, bool write, uintptr_t granule) {
    bool same_thread = !((old ^ mine) & RV_CELL_THREAD);
    if (same_thread && !(old & ~mine & RV_CELL_BYTES)) return mine | (old & RV_CELL_DISPLACED);
    uint64_t cell = old & ~RV_CELL_DISPLACED;
    struct recent *known = recent_of(cell, granule);
    if (known->cell == cell && known->granule == (granule | write)) return mine | RV_CELL_DISPLACED;
    struct rv_cells *head = head_of(granule);
    if (!is_listed(first_of(head), cell, write)) {
        if (!head || node_count == NODES) {
            rv_site_conflict(&rv.area->sites[cell & (RV_MAX_SITES - 1)]);
            return mine | (old & RV_CELL_DISPLACED);
        }
        add_to_list(head, cell, write);
    }
    *known = (struct recent){cell, granule | write};
    return mine | RV_CELL_DISPLACED;
}

void rv_shadow_look_back(uint64_t mine, bool write, struct rv_site *site, uintptr_t granule) {
    const struct rv_cells *head = head_of(granule);
    uint32_t at = first_of(head);
    if (at && !((head->read ^ mine) & RV_CELL_THREAD)) return; /* all its own */
    for (; at; at = nodes[at].next) {
        uint64_t listed = nodes[at].cell;
        if ((write || nodes[at].write) && (listed & mine & RV_CELL_BYTES) &&
            ((listed ^ mine) & RV_CELL_THREAD))
            rv_shadow_conflict(listed, site);
    }
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
        bool of_this = rv_shadow_touch(&chunk[granule >> 3 & (RV_SHADOW_CELLS - 1)], granule, bytes & 0xff,
                                       write, site, thread);
        if (granule <= address) own = of_this;
    }
    return own;
}
