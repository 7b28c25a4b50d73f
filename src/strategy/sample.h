/* What the sampling strategies have in common: reading parameters, choosing with the usual biases, and
 * arrays by thread that grow in the arena.
 *
 * Biases, the same in every sampling strategy:
 *   time-out candidates   taken in RV_TIMEOUT_ODDS of the picks where something else could go on: a program
 *                         with many timed waits would otherwise do nothing but time out. Strategies with
 *                         priorities draw once for the whole wait (rv_early_odds): sleeps, which end in no other
 *                         way, are as likely to end early as late
 *   a yielded thread      goes on in RV_YIELD_ODDS of the picks where another thread could instead: it has said
 *                         that it waits for others
 *   choose()              the ordinary outcome 0 in RV_ORDINARY_ODDS of the cases
 */
#ifndef RV_STRATEGY_SAMPLE_H
#define RV_STRATEGY_SAMPLE_H

#include <stdbool.h>

#include "base/rng.h"
#include "strategy/strategy.h"

/* Odds are thresholds for a uniform 64-bit number. */
#define RV_ODDS(numerator, denominator) ((uint64_t)(numerator) * (UINT64_MAX / (uint64_t)(denominator)))
#define RV_TIMEOUT_ODDS                 RV_ODDS(1, 16)
#define RV_SLEEP_ODDS                   RV_ODDS(1, 2)
#define RV_YIELD_ODDS                   RV_ODDS(1, 64)
#define RV_ORDINARY_ODDS                RV_ODDS(3, 4)

static inline bool rv_chance(struct rv_rng *rng, uint64_t odds) { return rv_rng_next(rng) < odds; }

/* Odds that the time-out of this wait competes with what can go on normally. */
static inline uint64_t rv_early_odds(const struct rv_operation *wait) {
    return wait->op == RV_OP_SLEEP ? RV_SLEEP_ODDS : RV_TIMEOUT_ODDS;
}

/* A whole number in [min, max], the entire text. False: it is something else. */
bool rv_parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *number);
/* A decimal fraction in (0, 1], the entire text, as odds. False: it is something else. */
bool rv_parse_odds(const char *text, uint64_t *odds);
/* For strategies without parameters: `check`. */
const char *rv_check_no_params(const char *params);

/* A candidate that no bias holds back: neither a time-out nor the thread that yielded. */
static inline bool rv_ordinary(const struct rv_point *point, uint32_t index) {
    return !point->candidates[index].timeout && !(point->yielded && (int32_t)index == point->current_index);
}
/* Decides by the biases above whether something else than an ordinary candidate goes on now: its index,
 * or -1: one of the ordinary candidates, of which there is at least one. */
int64_t rv_sample_unusual(struct rv_rng *rng, const struct rv_point *point);
/* Uniform over the candidates, but for the biases above. */
uint32_t rv_sample_uniform(struct rv_rng *rng, const struct rv_point *point);
/* choose() of every sampling strategy. */
uint32_t rv_sample_choose(struct rv_rng *rng, uint32_t n);

/* An array in the arena with room for more than `index` items: `items` itself if it has the room, else
 * a larger one with the old contents and zeroes, *capacity updated. NULL when the arena is full; `items` is
 * then still good. The old array is not reused: growth doubles, so at most half of the memory is lost. */
void *rv_grow(struct rv_arena *arena, void *items, uint32_t *capacity, uint32_t index, size_t item_size);

#endif
