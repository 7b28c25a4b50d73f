/* Partial order sampling.
 *
 * Yuan, Yang, Gu: Partial Order Aware Concurrency Sampling, CAV 2018. Every pending event has a random
 * priority and the highest is executed. After an event e, the pending events that race with e draw again,
 * all others keep theirs. So the order of independent events, which changes nothing, uses up no chance, and
 * each partial order of the racing ones has a probability that does not shrink with the length of what
 * is independent around it. A random walk, in contrast, spreads its chance over all interleavings.
 *
 * Deviations: events at which the engine does not ask (only one candidate, or sites never in conflict)
 * draw no priority; nothing pending could have raced with them to be drawn again. Time-outs draw from the
 * lowest 1/4096 of the range unless they come early (rv_early_odds). A thread that has yielded comes last.
 */
#include "strategy/dependence.h"
#include "strategy/sample.h"

struct pos_event {
    uint64_t step; /* 1 + step of the thread for which it was drawn; 0: to be drawn */
    uint64_t priority;
};

struct pos_thread {
    struct pos_event normal;
    struct pos_event timeout;
    uint32_t generation; /* execution in which this entry was set: others are stale */
};

struct pos_state {
    struct rv_arena *arena;
    struct rv_rng rng;
    uint64_t seed;
    uint32_t generation;
    uint32_t capacity;
    struct pos_thread *threads;
    struct pos_thread overflow; /* shared by all threads that found no room */
};

static void *pos_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    struct pos_state *state = rv_arena_alloc(arena, sizeof *state);
    if (!state) return NULL;
    state->arena = arena;
    state->seed = config->seed;
    return state;
}

static void pos_begin(void *opaque, uint64_t index) {
    struct pos_state *state = opaque;
    state->rng = rv_rng_stream(state->seed, index);
    state->generation++;
}

static struct pos_thread *renew_thread(struct pos_state *state, uint32_t thread) {
    struct pos_thread *entry = &state->overflow;
    if (thread >= state->capacity) {
        struct pos_thread *larger =
            rv_grow(state->arena, state->threads, &state->capacity, thread, sizeof *larger);
        if (larger) state->threads = larger;
    }
    if (thread < state->capacity) entry = &state->threads[thread];
    if (entry->generation != state->generation) *entry = (struct pos_thread){.generation = state->generation};
    return entry;
}

static inline struct pos_event *event_of(struct pos_state *state, const struct rv_candidate *candidate) {
    uint32_t thread = candidate->thread;
    bool known = thread < state->capacity && state->threads[thread].generation == state->generation;
    struct pos_thread *entry = known ? &state->threads[thread] : renew_thread(state, thread);
    return candidate->timeout ? &entry->timeout : &entry->normal;
}

static inline uint64_t priority_of(struct pos_state *state, const struct rv_candidate *candidate) {
    struct pos_event *event = event_of(state, candidate);
    if (event->step != candidate->step + 1) {
        event->step = candidate->step + 1;
        event->priority = rv_rng_next(&state->rng);
        if (candidate->timeout && !rv_chance(&state->rng, rv_early_odds(&candidate->next)))
            event->priority >>= 12;
    }
    return event->priority;
}

static uint32_t pos_pick(void *opaque, const struct rv_point *point) {
    struct pos_state *state = opaque;
    int64_t last = -1; /* the candidate that waits for all others */
    if (point->yielded && point->current_index >= 0 && point->count > 1 &&
        !rv_chance(&state->rng, RV_YIELD_ODDS))
        last = point->current_index;
    int64_t best = -1;
    uint64_t best_priority = 0;
    for (uint32_t i = 0; i < point->count; i++) {
        if (i == last) continue;
        uint64_t priority = priority_of(state, &point->candidates[i]);
        if (best >= 0 && priority <= best_priority) continue;
        best = i;
        best_priority = priority;
    }
    const struct rv_candidate *chosen = &point->candidates[best];
    for (uint32_t i = 0; i < point->count; i++) {
        const struct rv_candidate *other = &point->candidates[i];
        if (other->thread != chosen->thread && rv_operations_conflict(&chosen->next, &other->next))
            event_of(state, other)->step = 0;
    }
    event_of(state, chosen)->step = 0;
    return (uint32_t)best;
}

static uint32_t pos_choose(void *opaque, uint32_t n) {
    struct pos_state *state = opaque;
    return rv_sample_choose(&state->rng, n);
}

static bool pos_end(void *opaque, const struct rv_strategy_end *outcome) {
    (void)opaque;
    (void)outcome;
    return true;
}

const struct rv_strategy rv_strategy_pos = {
    .name = "pos",
    .parameter = "",
    .guarantee = "every partial order of racing events has a chance that independent events do not dilute",
    .check = rv_check_no_params,
    .create = pos_create,
    .begin = pos_begin,
    .pick = pos_pick,
    .choose = pos_choose,
    .end = pos_end,
};
