/* The engines `maptest` and `maptest-random` (Wang et al.: MAPTest, ASE 2019).
 *
 * A test is made for an instance of a memory-access pattern that no execution has covered: methods with its statements, in the
 * threads that its steps say. Of the instances that come into question `maptest` takes the one whose methods were asked for least
 * often. Its first execution interrupts nobody; from the trace of that comes where a thread could be interrupted such that
 * accesses follow each other as in a pattern, and locks allow it (predict.h). Those switches are executed as they are,
 * the ones first that were tried least often; what was tried often is left out more and more.
 *
 * Differences from the paper. What methods use is learned from executions, not from code: until something is known, and in every
 * third test, for what has not been reached yet, the pair of methods that was asked for least often has its turn. A test whose
 * threads do not meet costs one execution. Where there is no such trace (the module has threads of its own) executions are
 * steered to instances (strategy `map`), and some are random. That is done, too, when a module has withstood many tests.
 */
#include <stdlib.h>
#include <string.h>

#include "generate/aim.h"
#include "generate/hunt.h"
#include "generate/predict.h"

enum {
    LEARN_EVERY = 3,
    CANDIDATES = 12,
    STEERED = 2,
    OTHERS = 2,
    OTHER_STEERED = 1,
    RANDOM = 1,
    LEARNING = 3,
    MOST_SWITCHES = 4,
    SWITCHES_DRAWN = 32,
    SURPRISES = 8,
    FRUITLESS = 3,
    OLD = 3,      /* tries after which a switch is nothing new */
    LATER = 2000, /* tests */
};

struct state {
    struct rv_aim aim;
    struct rv_instance target;
    bool aimed;
    struct rv_wish wish;
    uint8_t tries[2][1 << 16]; /* of switches, by hash: without and with what led there */
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
            uint64_t counted = hunt->pairs.asked[wish->calls[0][i] * hunt->pairs.count + wish->calls[1][j]];
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
    if (!state->aimed) rv_wish_least(hunt, hunt->pairs.asked, wish);
    if (state->aimed) rv_aim_tried(&state->aim, &state->target);
    wish->alike = true;
    state->wish = *wish;
}

/* Pairs of methods that leave no room for a switch have their turn less often. */
static void note_asked(struct rv_hunt *hunt, uint64_t cost) {
    const struct rv_wish *wish = &((struct state *)hunt->state)->wish;
    for (uint32_t i = 0; i < wish->count[0]; i++)
        for (uint32_t j = 0; j < wish->count[1]; j++) {
            uint32_t first = wish->calls[0][i], second = wish->calls[1][j];
            hunt->pairs.asked[first * hunt->pairs.count + second] += cost;
            if (first != second) hunt->pairs.asked[second * hunt->pairs.count + first] += cost;
        }
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

/* ---- without a trace ---- */

/* To other instances that the same methods could cover. */
static void steer_to_others(struct rv_hunt *hunt, unsigned count) {
    struct state *state = hunt->state;
    uint64_t methods[2] = {0};
    for (uint32_t i = 0; i < hunt->test.count; i++) {
        const struct rv_case_call *call = &hunt->test.calls[i];
        if (call->phase == RV_PHASE_DURING && call->method < RV_CASE_METHODS)
            methods[call->thread & 1] |= 1ull << call->method;
    }
    rv_aim_learn(&state->aim, rv_runner_area(hunt->runner));
    for (unsigned i = 0; i < count && !hunt->found; i++) {
        struct rv_instance instance;
        if (!rv_aim_draw(&state->aim, rv_runner_area(hunt->runner), &hunt->maker.rng, methods, &instance))
            break;
        steer(hunt, &instance, OTHER_STEERED);
    }
}

static void execute_blindly(struct rv_hunt *hunt) {
    struct state *state = hunt->state;
    if (state->aimed) steer(hunt, &state->target, STEERED);
    steer_to_others(hunt, OTHERS);
    rv_hunt_execute(hunt, "random", state->aimed ? RANDOM : LEARNING);
}

/* ---- with one ---- */

static uint8_t *tries_of(struct state *state, const struct rv_switch *one, bool path) {
    uint64_t hash = 1;
    for (unsigned i = 0; i < 3; i++) hash = (hash ^ one->places[i]) * 0x9e3779b97f4a7c15u;
    if (path) hash = (hash ^ one->path) * 0xbf58476d1ce4e5b9u;
    return &state->tries[path][hash >> 48];
}

/* Of some that could be, one that was tried least often. */
static bool choose(struct rv_hunt *hunt, const struct rv_meeting *meeting, struct rv_switch *chosen,
                   uint32_t *tried) {
    struct state *state = hunt->state;
    *tried = UINT32_MAX;
    for (unsigned i = 0; i < SWITCHES_DRAWN; i++) {
        struct rv_switch one;
        if (!rv_meeting_draw(meeting, &hunt->maker.rng, &one)) break;
        uint32_t tries = *tries_of(state, &one, false) + 2u * *tries_of(state, &one, true);
        if (tries >= *tried) continue;
        *tried = tries;
        *chosen = one;
    }
    return *tried != UINT32_MAX;
}

static void note_try(struct state *state, const struct rv_switch *one) {
    for (unsigned path = 0; path < 2; path++) {
        uint8_t *tries = tries_of(state, one, path);
        if (*tries < UINT8_MAX) ++*tries;
    }
}

static void execute(struct rv_hunt *hunt) {
    struct state *state = hunt->state;
    struct rv_meeting *meeting = rv_meeting_open(rv_runner_area(hunt->runner), &hunt->test);
    if (!meeting) {
        note_asked(hunt, 1);
        execute_blindly(hunt);
        return;
    }
    bool fresh = false;
    for (unsigned i = 0; i < MOST_SWITCHES && !hunt->found; i++) {
        struct rv_switch one;
        uint32_t tried;
        bool some = choose(hunt, meeting, &one, &tried);
        if (i == 0) note_asked(hunt, some ? 1 : FRUITLESS);
        if (!some) break;
        fresh |= tried <= OLD;
        if (i > 0 ? tried > 1 : rv_rng_below(&hunt->maker.rng, 1 + (tried > OLD ? OLD : tried)) > 1) break;
        note_try(state, &one);
        rv_hunt_follow(hunt, one.runs, one.run_count);
    }
    /* What a module withstands for long needs more than switches here and there. */
    if (!fresh && hunt->tests > LATER && hunt->tests % 2) {
        steer_to_others(hunt, OTHERS);
        rv_hunt_execute(hunt, "random", LEARNING);
    }
    /* What a trace does not tell of: threads that go on differently, races. */
    if (rv_rng_below(&hunt->maker.rng, SURPRISES) == 0) rv_hunt_execute(hunt, "random", RANDOM);
    rv_meeting_close(meeting);
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

const struct rv_search_engine rv_engine_maptest = {"maptest", begin, end, maptest_wish, execute, true};
const struct rv_search_engine rv_engine_maptest_random = {"maptest-random",    begin,   end,
                                                          maptest_random_wish, execute, true};
