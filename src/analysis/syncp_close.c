/* The rule of sections: of two sections in a set of one lock, not both shared, the earlier one has its release in it. Why its
 * closure is all that a reordering needs: syncp.c. */
#include "analysis/syncp_model.h"

/* The last section of the list whose acquire is in the set, or NULL. */
static const struct rv_section *last_in(const struct rv_sections *list, uint32_t steps) {
    uint32_t low = 0, high = list->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list->at[middle].local <= steps)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &list->at[low - 1] : NULL;
}

enum grown { GROWN, STABLE, IMPOSSIBLE };

/* The rule of sections, for one lock. */
static enum grown close_lock(const struct rv_syncp *m, const struct rv_syncp_object *lock, uint32_t *set) {
    uint32_t latest[2] = {0, 0}; /* 1 + acquire: exclusive, shared */
    for (uint32_t i = 0; i < 2 * m->threads; i++) {
        const struct rv_section *section = last_in(&lock->sections[i], set[i / 2]);
        if (section && section->acquire + 1 > latest[i & 1]) latest[i & 1] = section->acquire + 1;
    }
    enum grown result = STABLE;
    for (uint32_t i = 0; i < 2 * m->threads; i++) {
        const struct rv_section *section = last_in(&lock->sections[i], set[i / 2]);
        if (!section) continue;
        bool before_exclusive = section->acquire + 1 < latest[0];
        bool before_shared = !(i & 1) && section->acquire + 1 < latest[1];
        if (!before_exclusive && !before_shared) continue;
        if (section->release == RV_NO_STEP) return IMPOSSIBLE;
        if (m->local[section->release] <= set[i / 2]) continue;
        rv_syncp_join(m, set, rv_syncp_vector(m, m->closed, section->release));
        result = GROWN;
    }
    return result;
}

bool rv_syncp_close(struct rv_syncp *m, uint32_t *set) {
    const struct rv_syncp_object *objects = m->objects.items;
    for (bool again = true; again;) {
        again = false;
        if (!rv_syncp_work(m, m->objects.count)) return false;
        for (uint32_t i = 0; i < m->objects.count; i++) {
            if (objects[i].sections && !rv_syncp_work(m, 4 * (uint64_t)m->threads)) return false;
            enum grown grown = objects[i].sections ? close_lock(m, &objects[i], set) : STABLE;
            if (grown == IMPOSSIBLE) return false;
            again = again || grown == GROWN;
        }
    }
    return true;
}
