/* Greedy additional coverage. What a test adds can only get less until the next reset, so a value of an earlier round is a bound:
 * tests are looked at in the order of their bounds, and most are not looked at. Ties are broken by a random number for each test
 * and round of resets, so that the result does not depend on the order of looking. */
#include <stdlib.h>
#include <string.h>

#include "regress/select_private.h"
#include "report/text.h"

struct gain {
    uint64_t sure, possible, tie;
};

struct ranker {
    const struct rv_rank_item *items;
    const uint32_t *weights;
    uint8_t *covered; /* by thing: 1 possibly, 2 surely */
    struct gain *gains;
    bool *taken;
    uint32_t count, things;
};

static struct gain gain_of(const struct ranker *ranker, uint32_t test) {
    const struct rv_rank_item *item = &ranker->items[test];
    struct gain gain = {.tie = ranker->gains[test].tie};
    for (uint32_t i = 0; i < item->count; i++) {
        uint32_t thing = item->things[i], weight = ranker->weights ? ranker->weights[thing] : 1;
        if (i < item->sure && ranker->covered[thing] < 2)
            gain.sure += weight;
        else if (i >= item->sure && !ranker->covered[thing])
            gain.possible += weight;
    }
    return gain;
}

static bool better(const struct gain *a, const struct gain *b) {
    if (a->sure != b->sure) return a->sure > b->sure;
    if (a->possible != b->possible) return a->possible > b->possible;
    return a->tie > b->tie;
}

/* Everything counts again, with new ties. */
static void reset(struct ranker *ranker, struct rv_rng *rng) {
    memset(ranker->covered, 0, ranker->things);
    for (uint32_t i = 0; i < ranker->count; i++) {
        if (ranker->taken[i]) continue;
        ranker->gains[i].tie = rv_rng_next(rng);
        ranker->gains[i] = gain_of(ranker, i);
    }
}

static uint32_t best(struct ranker *ranker) {
    for (;;) {
        uint32_t found = RV_NONE;
        for (uint32_t i = 0; i < ranker->count; i++)
            if (!ranker->taken[i] && (found == RV_NONE || better(&ranker->gains[i], &ranker->gains[found])))
                found = i;
        struct gain now = gain_of(ranker, found);
        bool same = now.sure == ranker->gains[found].sure && now.possible == ranker->gains[found].possible;
        ranker->gains[found] = now;
        if (same) return found;
    }
}

static void take(struct ranker *ranker, uint32_t test) {
    const struct rv_rank_item *item = &ranker->items[test];
    ranker->taken[test] = true;
    for (uint32_t i = 0; i < item->count; i++) {
        uint8_t how = i < item->sure ? 2 : 1;
        if (ranker->covered[item->things[i]] < how) ranker->covered[item->things[i]] = how;
    }
}

void rv_rank(const struct rv_rank_item *items, uint32_t count, const uint32_t *weights, uint32_t things,
             struct rv_rng *rng, uint32_t *order) {
    struct ranker ranker = {.items = items,
                            .weights = weights,
                            .covered = rv_text_alloc(things, sizeof(uint8_t)),
                            .gains = rv_text_alloc(count, sizeof(struct gain)),
                            .taken = rv_text_alloc(count, sizeof(bool)),
                            .count = count,
                            .things = things};
    bool fresh = true;
    reset(&ranker, rng);
    for (uint32_t position = 0; position < count;) {
        uint32_t test = best(&ranker);
        if (!fresh && !ranker.gains[test].sure && !ranker.gains[test].possible) {
            reset(&ranker, rng);
            fresh = true;
            continue;
        }
        fresh = false;
        take(&ranker, test);
        order[position++] = test;
    }
    free(ranker.covered);
    free(ranker.gains);
    free(ranker.taken);
}

double rv_apfd(const uint32_t *first, size_t faults, uint32_t tests) {
    double sum = 0;
    if (!faults || !tests) return 1;
    for (size_t i = 0; i < faults; i++) sum += first[i] ? first[i] : tests + 1;
    return 1 - sum / ((double)tests * (double)faults) + 1 / (2.0 * tests);
}
