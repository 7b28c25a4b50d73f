/* Probabilistic concurrency testing.
 *
 * Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic Guarantees of
 * Finding Bugs, ASPLOS 2010. Each thread has a random priority and the highest that can go on does. At
 * d-1 points chosen uniformly among k, the thread about to run falls to priority i, for the i-th of the
 * points as drawn (not as they come in time: the proof needs every order). A bug of depth d, one that d
 * ordering constraints suffice to show, in a program of n threads and k points is hit with probability at least
 *
 *     1 / (n * k^(d-1))      in each execution.
 *
 * Deviations from the paper, and why the bound survives them:
 *   - k counts the points at which there was a choice. A fall before a step that nobody else could have
 *     replaced has the same effect as one at the next choice, so forced steps need no points of their own.
 *   - k is not known before; it is taken from the executions so far: at once up to the longest, slowly down
 *     (1/32 of the difference) so that one outlier does not thin the points out for ever. The first execution
 *     assumes FIRST_LENGTH. Executions cut off at max_steps say nothing about k but that it is larger: it doubles.
 *   - A thread that yields falls below everything else (each later one below the earlier), or loops that
 *     wait for a lower thread would never end. But it does so only every other time (YIELD_ODDS): a schedule
 *     in which sched_yield had no effect is a schedule too. A bug that needs y yields to be without effect
 *     keeps the bound times 2^-y.
 *   - A time-out is like one more thread that exists for one wait. It draws a priority among the threads' only
 *     sometimes (rv_early_odds), otherwise one below all threads that have not yielded. A bug that needs some of
 *     them to come early keeps the bound times these odds.
 *
 * Priorities, high to low: [2^61, 2^63) initial; d-1..1 after a change; near -2^40 late time-outs; below
 * -2^41 yielded.
 */
#include "strategy/sample.h"

enum { MAX_DEPTH = 64, DEFAULT_DEPTH = 3, FIRST_LENGTH = 64 };
#define YIELD_ODDS       RV_ODDS(1, 2)
#define PRIORITY_TIMEOUT (-((int64_t)1 << 40))
#define PRIORITY_YIELDED (-((int64_t)1 << 41))

struct pct_thread {
    int64_t priority;
    int64_t timeout_priority;
    uint64_t timeout_step; /* 1 + step of the wait that timeout_priority was drawn for */
    uint32_t generation;   /* execution in which this entry was set: others are stale */
};

struct pct_change {
    uint64_t at;      /* number of the pick */
    int64_t priority; /* that the thread falls to */
};

struct pct_state {
    struct rv_arena *arena;
    struct rv_rng rng;
    uint64_t seed;
    uint64_t length; /* k: estimate of picks per execution; 0: none yet */
    uint64_t picks;  /* in this execution */
    uint64_t yields;
    uint32_t generation;
    uint32_t change_count; /* d-1 */
    uint32_t next_change;
    uint32_t capacity; /* of threads */
    struct pct_thread *threads;
    struct pct_thread overflow; /* shared by all threads that found no room */
    struct pct_change changes[MAX_DEPTH];
};

static const char *pct_check(const char *params) {
    uint64_t depth;
    if (!params || rv_parse_number(params, 1, MAX_DEPTH, &depth)) return NULL;
    return "a depth from 1 to 64, such as pct:3";
}

static void *pct_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    struct pct_state *state = rv_arena_alloc(arena, sizeof *state);
    if (!state) return NULL;
    uint64_t depth = DEFAULT_DEPTH;
    if (config->params) rv_parse_number(config->params, 1, MAX_DEPTH, &depth);
    state->arena = arena;
    state->seed = config->seed;
    state->change_count = (uint32_t)depth - 1;
    return state;
}

static void pct_begin(void *opaque, uint64_t index) {
    struct pct_state *state = opaque;
    state->rng = rv_rng_stream(state->seed, index);
    state->generation++;
    state->picks = 0;
    state->yields = 0;
    state->next_change = 0;
    uint64_t length = state->length ? state->length : FIRST_LENGTH;
    for (uint32_t i = 0; i < state->change_count; i++) {
        struct pct_change change = {rv_rng_below(&state->rng, length), (int64_t)i + 1};
        uint32_t place = i;
        for (; place && state->changes[place - 1].at > change.at; place--)
            state->changes[place] = state->changes[place - 1];
        state->changes[place] = change;
    }
}

static struct pct_thread *renew_thread(struct pct_state *state, uint32_t thread) {
    struct pct_thread *entry = &state->overflow;
    if (thread >= state->capacity) {
        struct pct_thread *larger =
            rv_grow(state->arena, state->threads, &state->capacity, thread, sizeof *larger);
        if (larger) state->threads = larger;
    }
    if (thread < state->capacity) entry = &state->threads[thread];
    if (entry->generation != state->generation) {
        entry->generation = state->generation;
        entry->priority = (int64_t)(rv_rng_next(&state->rng) >> 1 | (uint64_t)1 << 61);
        entry->timeout_step = 0;
    }
    return entry;
}

static inline struct pct_thread *thread_of(struct pct_state *state, uint32_t thread) {
    if (thread < state->capacity && state->threads[thread].generation == state->generation)
        return &state->threads[thread];
    return renew_thread(state, thread);
}

static inline int64_t priority_of(struct pct_state *state, const struct rv_candidate *candidate) {
    struct pct_thread *entry = thread_of(state, candidate->thread);
    if (!candidate->timeout) return entry->priority;
    if (entry->timeout_step != candidate->step + 1) {
        entry->timeout_step = candidate->step + 1;
        uint64_t draw = rv_rng_next(&state->rng);
        entry->timeout_priority = rv_chance(&state->rng, rv_early_odds(&candidate->next))
                                      ? (int64_t)(draw >> 1 | (uint64_t)1 << 61)
                                      : PRIORITY_TIMEOUT + (int64_t)(draw >> 32);
    }
    return entry->timeout_priority;
}

static uint32_t highest(struct pct_state *state, const struct rv_point *point) {
    uint32_t best = 0;
    int64_t best_priority = priority_of(state, &point->candidates[0]);
    for (uint32_t i = 1; i < point->count; i++) {
        int64_t priority = priority_of(state, &point->candidates[i]);
        if (priority > best_priority) {
            best = i;
            best_priority = priority;
        }
    }
    return best;
}

static uint32_t pct_pick(void *opaque, const struct rv_point *point) {
    struct pct_state *state = opaque;
    if (point->yielded && rv_chance(&state->rng, YIELD_ODDS))
        thread_of(state, point->current)->priority = PRIORITY_YIELDED - (int64_t)++state->yields;
    uint32_t best = highest(state, point);
    while (state->next_change < state->change_count &&
           state->changes[state->next_change].at <= state->picks) {
        int64_t priority = state->changes[state->next_change++].priority;
        struct pct_thread *entry = thread_of(state, point->candidates[best].thread);
        if (point->candidates[best].timeout)
            entry->timeout_priority = priority;
        else
            entry->priority = priority;
        best = highest(state, point);
    }
    state->picks++;
    return best;
}

static uint32_t pct_choose(void *opaque, uint32_t n) {
    struct pct_state *state = opaque;
    return rv_sample_choose(&state->rng, n);
}

static bool pct_end(void *opaque, const struct rv_strategy_end *outcome) {
    struct pct_state *state = opaque;
    if (!state->picks) return true;
    if (outcome->not_terminating) {
        uint64_t doubled = (state->length ? state->length : FIRST_LENGTH) * 2;
        if (state->picks > state->length) state->length = doubled < state->picks ? doubled : state->picks;
        return true;
    }
    if (state->picks >= state->length)
        state->length = state->picks;
    else if (outcome->kind == RV_KIND_NONE)
        state->length -= (state->length - state->picks) / 32;
    return true;
}

const struct rv_strategy rv_strategy_pct = {
    .name = "pct",
    .parameter = "[:depth]",
    .guarantee =
        "finds a bug of depth d with probability at least 1/(n k^(d-1)) per execution (n threads, k points)",
    .check = pct_check,
    .create = pct_create,
    .begin = pct_begin,
    .pick = pct_pick,
    .choose = pct_choose,
    .end = pct_end,
};
