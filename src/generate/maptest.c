/* The engines `maptest` and `maptest-random` (Wang et al.: MAPTest, ASE 2019).
 *
 * A test is made for an instance of a memory-access pattern that no execution has covered: methods with its statements, in the
 * threads that its steps say. It is executed steered to that instance, then to others that the same two methods could
 * cover. Of the instances that come into question `maptest` takes the one whose methods have run at once least often.
 *
 * Differences from the paper. What methods use is learned from executions, not from code: until something is known, and in every
 * sixth test, for what has not been reached yet, methods are chosen as `covcon` does; and each test has a few random
 * executions, because patterns do not speak of locks, and deadlocks are made of them.
 */
#include <stdlib.h>
#include <string.h>

#include "generate/aim.h"
#include "generate/hunt.h"

enum {
    LEARN_EVERY = 6,
    CANDIDATES = 12,
    STEERED = 2,
    OTHERS = 2,
    OTHER_STEERED = 1,
    RANDOM = 1,
    LEARNING = 3
};

struct state {
    struct rv_aim aim;
    struct rv_instance target;
    bool aimed;
};

static uint64_t callable(const struct rv_hunt *hunt) {
    uint64_t set = 0;
    for (uint32_t i = 0; i < hunt->maker.concurrent_count; i++)
        if (hunt->maker.concurrent[i] < RV_CASE_METHODS) set |= 1ull << hunt->maker.concurrent[i];
    return set;
}

static uint32_t any_bit(struct rv_rng *rng, uint64_t set) {
    uint64_t skip = rv_rng_below(rng, (uint64_t)__builtin_popcountll(set));
    while (skip--) set &= set - 1;
    return (uint32_t)__builtin_ctzll(set);
}

/* Methods for the steps of a thread: as few calls as can be. */
static void add_calls(struct rv_hunt *hunt, const struct rv_instance *instance, bool second,
                      struct rv_wish *wish) {
    const struct rv_pattern *pattern = &rv_pattern_table[instance->pattern];
    const struct rv_area *area = rv_runner_area(hunt->runner);
    uint64_t all = callable(hunt), open = 0;
    for (unsigned i = 0; i < pattern->steps; i++) {
        if (pattern->step[i].second != second) continue;
        uint64_t methods = rv_aim_methods(area, instance->statements[i], all);
        bool same = (open & methods) != 0 && rv_rng_below(&hunt->maker.rng, 4) > 0;
        if (open && !same && wish->count[second] < 4)
            wish->calls[second][wish->count[second]++] = any_bit(&hunt->maker.rng, open);
        open = same ? open & methods : methods;
    }
    if (open && wish->count[second] < 4)
        wish->calls[second][wish->count[second]++] = any_bit(&hunt->maker.rng, open);
}

static uint64_t count_of(const struct rv_hunt *hunt, const struct rv_wish *wish) {
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < wish->count[0]; i++)
        for (uint32_t j = 0; j < wish->count[1]; j++) {
            uint64_t counted = hunt->pairs.counted[wish->calls[0][i] * hunt->pairs.count + wish->calls[1][j]];
            if (counted < least) least = counted;
        }
    return least;
}

static void wish_for(struct rv_hunt *hunt, struct rv_wish *wish, unsigned candidates) {
    struct state *state = hunt->state;
    const struct rv_area *area = rv_runner_area(hunt->runner);
    uint64_t methods[2] = {callable(hunt), callable(hunt)}, least = 0;
    state->aimed = false;
    rv_aim_learn(&state->aim, area);
    for (unsigned i = 0; i < candidates && hunt->tests % LEARN_EVERY; i++) {
        struct rv_instance instance;
        struct rv_wish one = {0};
        if (!rv_aim_draw(&state->aim, area, &hunt->maker.rng, methods, &instance)) break;
        add_calls(hunt, &instance, false, &one);
        add_calls(hunt, &instance, true, &one);
        if (!one.count[0] || !one.count[1]) continue;
        uint64_t counted = count_of(hunt, &one);
        if (state->aimed && counted >= least) continue;
        state->aimed = true;
        state->target = instance;
        least = counted;
        *wish = one;
    }
    if (!state->aimed) rv_wish_least(hunt, wish);
}

static void maptest_wish(struct rv_hunt *hunt, struct rv_wish *wish) { wish_for(hunt, wish, CANDIDATES); }
static void maptest_random_wish(struct rv_hunt *hunt, struct rv_wish *wish) { wish_for(hunt, wish, 1); }

static void steer(struct rv_hunt *hunt, const struct rv_instance *instance, uint32_t count) {
    struct state *state = hunt->state;
    char strategy[160];
    rv_aim_tried(&state->aim, instance);
    rv_aim_strategy(rv_runner_area(hunt->runner), instance, strategy, sizeof strategy);
    rv_hunt_execute(hunt, strategy, count);
}

static void execute(struct rv_hunt *hunt) {
    struct state *state = hunt->state;
    uint64_t methods[2] = {0};
    if (state->aimed) steer(hunt, &state->target, STEERED);
    for (uint32_t i = 0; i < hunt->test.count; i++) {
        const struct rv_case_call *call = &hunt->test.calls[i];
        if (call->phase == RV_PHASE_DURING && call->method < RV_CASE_METHODS)
            methods[call->thread & 1] |= 1ull << call->method;
    }
    rv_aim_learn(&state->aim, rv_runner_area(hunt->runner));
    for (unsigned i = 0; i < OTHERS && !hunt->found; i++) {
        struct rv_instance instance;
        if (!rv_aim_draw(&state->aim, rv_runner_area(hunt->runner), &hunt->maker.rng, methods, &instance))
            break;
        steer(hunt, &instance, OTHER_STEERED);
    }
    rv_hunt_execute(hunt, "random", state->aimed ? RANDOM : LEARNING);
}

static void begin(struct rv_hunt *hunt) {
    struct state *state = rv_text_alloc(1, sizeof *state);
    rv_aim_open(&state->aim);
    hunt->state = state;
}

static void end(struct rv_hunt *hunt) {
    struct state *state = hunt->state;
    rv_aim_close(&state->aim);
    free(state);
}

const struct rv_search_engine rv_engine_maptest = {"maptest", begin, end, maptest_wish, execute};
const struct rv_search_engine rv_engine_maptest_random = {"maptest-random", begin, end, maptest_random_wish,
                                                          execute};
