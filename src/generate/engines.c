/* The engines that know nothing of the module but its methods: `random`, and `covcon`, which asks for the pair of methods that ran
 * at once least often (Choudhary, Lu, Pradel: Efficient Detection of Thread Safety Violations via Coverage-Guided Generation of
 * Concurrent Tests, ICSE 2017). */
#include "generate/hunt.h"

enum { EXECUTIONS = 6 };

static void execute_random(struct rv_hunt *hunt) { rv_hunt_execute(hunt, "random", EXECUTIONS); }

static void random_wish(struct rv_hunt *hunt, struct rv_wish *wish) {
    for (uint32_t thread = 0; thread < 2; thread++) {
        wish->count[thread] = 1 + (uint32_t)rv_rng_below(&hunt->maker.rng, 2);
        for (uint32_t i = 0; i < wish->count[thread]; i++)
            wish->calls[thread][i] = rv_maker_any(&hunt->maker);
    }
}

/* Among those that were least, any. */
void rv_wish_least(struct rv_hunt *hunt, const uint64_t *counts, struct rv_wish *wish) {
    const struct rv_maker *maker = &hunt->maker;
    uint64_t least = UINT64_MAX, ties = 0;
    for (uint32_t i = 0; i < maker->concurrent_count; i++)
        for (uint32_t j = i; j < maker->concurrent_count; j++) {
            uint32_t first = maker->concurrent[i], second = maker->concurrent[j];
            uint64_t counted = counts[first * hunt->pairs.count + second];
            if (counted > least) continue;
            if (counted < least) ties = 0;
            least = counted;
            if (rv_rng_below(&hunt->maker.rng, ++ties) != 0) continue;
            bool turned = rv_rng_below(&hunt->maker.rng, 2);
            wish->calls[0][0] = turned ? second : first;
            wish->calls[1][0] = turned ? first : second;
        }
    wish->count[0] = wish->count[1] = 1;
}

static void covcon_wish(struct rv_hunt *hunt, struct rv_wish *wish) {
    rv_wish_least(hunt, hunt->pairs.counted, wish);
}

static const struct rv_search_engine random_engine = {"random", NULL, NULL, random_wish, execute_random, false};
static const struct rv_search_engine covcon_engine = {"covcon", NULL, NULL, covcon_wish, execute_random, false};

extern const struct rv_search_engine rv_engine_maptest, rv_engine_maptest_random;

const struct rv_search_engine *const rv_search_engines[] = {&rv_engine_maptest, &rv_engine_maptest_random,
                                                            &covcon_engine, &random_engine, NULL};
