/* The random walk: at each point any thread, all with the same chance.
 *
 * Simple, and the measure for everything else. Its weakness: it switches at almost every point, so the
 * chance that one thread gets n steps ahead of m others falls like (m+1)^-n; queues never fill and long
 * windows are never crossed. random:p answers that: the current thread goes on with probability 1-p, so a
 * run lasts 1/p points on average. p = 1 is the plain walk.
 */
#include "strategy/sample.h"

struct random_state {
    struct rv_rng rng;
    uint64_t seed;
    uint64_t switch_odds; /* of looking for another thread at all */
    /* Drawn ahead: at so many points the current thread goes on, and (if `due`) at the one after these it looks. Which thread
     * that is does not matter: each draw is like any other. */
    uint32_t ahead;
    bool due;
    uint32_t told; /* of `ahead`, by patience() */
};

static const char *random_check(const char *params) {
    uint64_t odds;
    if (!params || rv_parse_odds(params, &odds)) return NULL;
    return "a probability above 0 and up to 1, such as random:0.1";
}

static void *random_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    struct random_state *state = rv_arena_alloc(arena, sizeof *state);
    if (!state) return NULL;
    state->seed = config->seed;
    state->switch_odds = UINT64_MAX;
    if (config->params) rv_parse_odds(config->params, &state->switch_odds);
    return state;
}

static void random_begin(void *opaque, uint64_t index) {
    struct random_state *state = opaque;
    state->rng = rv_rng_stream(state->seed, index);
    state->ahead = state->told = 0;
    state->due = false;
}

enum { MOST_AHEAD = 1000 };

static void draw_ahead(struct random_state *state) {
    while (state->ahead < MOST_AHEAD && !(state->due = rv_chance(&state->rng, state->switch_odds)))
        state->ahead++;
}

static uint32_t random_patience(void *opaque) {
    struct random_state *state = opaque;
    return state->told = state->ahead;
}

static uint32_t random_pick(void *opaque, const struct rv_point *point) {
    struct random_state *state = opaque;
    state->ahead -= state->told - point->unused;
    state->told = 0;
    if (state->switch_odds == UINT64_MAX || point->current_index < 0 || point->yielded)
        return rv_sample_uniform(&state->rng, point);
    if (!state->ahead && !state->due) draw_ahead(state);
    if (state->ahead) {
        if (!--state->ahead && !state->due) draw_ahead(state);
        return (uint32_t)point->current_index;
    }
    state->due = false;
    return rv_sample_uniform(&state->rng, point);
}

static uint32_t random_choose(void *opaque, uint32_t n) {
    struct random_state *state = opaque;
    return rv_sample_choose(&state->rng, n);
}

static bool random_end(void *opaque, const struct rv_strategy_end *outcome) {
    (void)opaque;
    (void)outcome;
    return true;
}

const struct rv_strategy rv_strategy_random = {
    .name = "random",
    .parameter = "[:p]",
    .guarantee = "every schedule has a chance; with p, switches threads with probability p at each point",
    .check = random_check,
    .create = random_create,
    .begin = random_begin,
    .pick = random_pick,
    .patience = random_patience,
    .choose = random_choose,
    .end = random_end,
};
