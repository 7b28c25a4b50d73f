/* What the happens-before detector remembers of a granule: a set of accesses that later ones may race with.
 *
 * A cell is an access, or several that nobody can tell apart. Two cells lie in the granule itself, 4 bytes of shadow per
 * byte. If more are needed, the second becomes a *link* to a block of cells elsewhere. The newest access is always the
 * first cell; the order of the others means nothing.
 *
 *     cell.what:  bytes 8 | size 3 | kind 3 | slot 14 | clock 36, from the top; 0: empty
 *     size:       log2 of the access's size; 4: 16 bytes; 5: any other size
 *     link:       kind RV_CELL_LINK, clock of the execution's begin, slot: log2 of the block's capacity,
 *                 site: the block, step: cells used in it
 *
 * Clocks go on from one execution to the next, so a cell whose clock is below the execution's first is of an earlier one
 * and counts as empty: nothing is cleared in between.
 */
#ifndef RV_ANALYSIS_RACE_SHADOW_H
#define RV_ANALYSIS_RACE_SHADOW_H

#include "analysis/granules.h"
#include "analysis/hb.h"

enum { RV_CELL_KIND = RV_EPOCH_BITS, RV_CELL_SIZE = RV_CELL_KIND + 3, RV_CELL_BYTES = RV_CELL_SIZE + 3 };
enum { RV_CELL_LINK = 7, RV_CELL_ODD_SIZE = 5 };
#define RV_CELL_EPOCH (((uint64_t)1 << RV_EPOCH_BITS) - 1)

struct rv_cell {
    uint64_t what;
    uint32_t site; /* number of the site */
    uint32_t step; /* number of the step: of the last if the cell is several */
};

struct rv_granule {
    struct rv_cell first, second;
};

/* Blocks of 2, 4, 8 ... cells. Those given back are used again within the execution. */
enum { RV_SPILL_CLASSES = 18, RV_SPILL_CELLS = 1 << 26 };
struct rv_spill {
    struct rv_cell *cells;
    uint32_t used;                   /* cells handed out */
    uint32_t high;                   /* the most that ever were */
    uint32_t free[RV_SPILL_CLASSES]; /* 1 + first cell of a block; the next one is in its site */
};

/* The cells of a granule but the first, wherever they are. Changes go through these functions only. */
struct rv_others {
    struct rv_cell *cells;
    uint32_t count;
};

static inline uint8_t rv_cell_bytes(const struct rv_cell *cell) {
    return (uint8_t)(cell->what >> RV_CELL_BYTES);
}
static inline unsigned rv_cell_kind(const struct rv_cell *cell) { return cell->what >> RV_CELL_KIND & 7; }
static inline unsigned rv_cell_size(const struct rv_cell *cell) { return cell->what >> RV_CELL_SIZE & 7; }
static inline uint64_t rv_cell_epoch(const struct rv_cell *cell) { return cell->what & RV_CELL_EPOCH; }
static inline void rv_cell_set_bytes(struct rv_cell *cell, unsigned bytes) {
    cell->what = (cell->what & ~((uint64_t)0xff << RV_CELL_BYTES)) | (uint64_t)bytes << RV_CELL_BYTES;
}

/* `base`: the execution's first clock. */
static inline struct rv_others rv_granule_others(const struct rv_spill *spill, struct rv_granule *granule,
                                                 uint64_t base) {
    if (rv_cell_kind(&granule->second) == RV_CELL_LINK &&
        rv_epoch_clock(rv_cell_epoch(&granule->second)) == base)
        return (struct rv_others){&spill->cells[granule->second.site], granule->second.step};
    return (struct rv_others){&granule->second, granule->second.what ? 1 : 0};
}
/* The cell at this index goes; the last one takes its place. */
void rv_granule_remove(struct rv_spill *spill, struct rv_granule *granule, struct rv_others *others,
                       uint32_t index);
/* False: no room. */
bool rv_granule_add(struct rv_spill *spill, struct rv_granule *granule, struct rv_others *others,
                    struct rv_cell cell, uint64_t base);

#endif
