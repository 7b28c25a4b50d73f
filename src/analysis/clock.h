/* Vector clocks: how far into each thread (by slot, see hb.h) somebody's knowledge goes. Absent entries are 0.
 *
 *   operation         | guarantees
 *   rv_clock_get      | entry of a slot
 *   rv_clock_set      | entry of a slot := value
 *   rv_clock_join     | entrywise maximum; `into` may grow
 *   rv_clock_copy     | `into` becomes equal to `from`
 *   rv_clock_drop     | all 0; its memory goes to the pool
 *
 * Those that return bool say whether there was memory; if not, nothing has changed. A pool lives in an arena and goes
 * with it; memory within it is used again by size, which is a power of two.
 */
#ifndef RV_ANALYSIS_CLOCK_H
#define RV_ANALYSIS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum { RV_CLOCK_CLASSES = 16, RV_CLOCK_SMALLEST = 4 };

/* Zeroed: knows nothing. */
struct rv_clock {
    uint64_t *at;      /* by slot */
    uint32_t length;   /* entries that may be other than 0 */
    uint32_t capacity; /* 0 or RV_CLOCK_SMALLEST << class */
};

struct rv_clock_pool {
    struct rv_arena *arena;
    uint64_t *free[RV_CLOCK_CLASSES]; /* first of the list, which goes on in the first word */
};

static inline uint64_t rv_clock_get(const struct rv_clock *clock, uint32_t slot) {
    return slot < clock->length ? clock->at[slot] : 0;
}
bool rv_clock_set(struct rv_clock_pool *pool, struct rv_clock *clock, uint32_t slot, uint64_t value);
bool rv_clock_join(struct rv_clock_pool *pool, struct rv_clock *into, const struct rv_clock *from);
bool rv_clock_copy(struct rv_clock_pool *pool, struct rv_clock *into, const struct rv_clock *from);
void rv_clock_drop(struct rv_clock_pool *pool, struct rv_clock *clock);

#endif
