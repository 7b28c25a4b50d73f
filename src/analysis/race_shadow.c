#include "analysis/race_shadow.h"

#include <assert.h>
#include <string.h>

static unsigned block_class(const struct rv_granule *granule) {
    return rv_epoch_slot(rv_cell_epoch(&granule->second));
}

static bool take_block(struct rv_spill *spill, unsigned class, uint32_t *block) {
    if (class >= RV_SPILL_CLASSES) return false;
    uint32_t listed = spill->free[class];
    if (listed) {
        *block = listed - 1;
        spill->free[class] = spill->cells[*block].site;
        return true;
    }
    if (spill->used + (1u << class) > RV_SPILL_CELLS) return false;
    *block = spill->used;
    spill->used += 1u << class;
    if (spill->used > spill->high) spill->high = spill->used;
    return true;
}

static void give_back(struct rv_spill *spill, unsigned class, uint32_t block) {
    spill->cells[block].site = spill->free[class];
    spill->free[class] = block + 1;
}

static void set_link(struct rv_granule *granule, unsigned class, uint32_t block, uint32_t count,
                     uint64_t base) {
    granule->second.what = (uint64_t)RV_CELL_LINK << RV_CELL_KIND | (uint64_t) class << RV_CLOCK_BITS | base;
    granule->second.site = block;
    granule->second.step = count;
}

void rv_granule_remove(struct rv_spill *spill, struct rv_granule *granule, struct rv_others *others,
                       uint32_t index) {
    assert(index < others->count);
    others->cells[index] = others->cells[--others->count];
    if (others->cells == &granule->second) {
        granule->second = (struct rv_cell){0};
        return;
    }
    granule->second.step = others->count;
    if (others->count > 1) return;
    struct rv_cell last =
        others->cells[0]; /* a single one finds room in the granule: a block has at least one left */
    give_back(spill, block_class(granule), granule->second.site);
    granule->second = last;
    others->cells = &granule->second;
}

bool rv_granule_add(struct rv_spill *spill, struct rv_granule *granule, struct rv_others *others,
                    struct rv_cell cell, uint64_t base) {
    bool linked = others->cells != &granule->second;
    unsigned class = linked ? block_class(granule) : 0;
    if (!linked && !others->count) {
        granule->second = cell;
        others->count = 1;
        return true;
    }
    if (!linked || others->count == 1u << class) {
        uint32_t block;
        if (!take_block(spill, class + 1, &block)) return false;
        memcpy(&spill->cells[block], others->cells, others->count * sizeof cell);
        if (linked) give_back(spill, class, granule->second.site);
        others->cells = &spill->cells[block];
        set_link(granule, ++class, block, others->count, base);
    }
    others->cells[others->count++] = cell;
    granule->second.step = others->count;
    return true;
}
