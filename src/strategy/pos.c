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
#include "strategy/pos.h"

static void *pos_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    struct rv_pos *pos = rv_arena_alloc(arena, sizeof *pos);
    if (!pos) return NULL;
    pos->arena = arena;
    pos->seed = config->seed;
    return pos;
}

void rv_pos_begin(struct rv_pos *pos, uint64_t index) {
    pos->rng = rv_rng_stream(pos->seed, index);
    pos->generation++;
}

struct rv_pos_thread *rv_pos_renew(struct rv_pos *pos, uint32_t thread) {
    struct rv_pos_thread *entry = &pos->overflow;
    if (thread >= pos->capacity) {
        struct rv_pos_thread *larger =
            rv_grow(pos->arena, pos->threads, &pos->capacity, thread, sizeof *larger);
        if (larger) pos->threads = larger;
    }
    if (thread < pos->capacity) entry = &pos->threads[thread];
    if (entry->generation != pos->generation) *entry = (struct rv_pos_thread){.generation = pos->generation};
    return entry;
}

static void pos_begin(void *opaque, uint64_t index) { rv_pos_begin(opaque, index); }

static uint32_t pos_pick(void *opaque, const struct rv_point *point) {
    return rv_pos_pick(opaque, point, NULL, NULL);
}

static uint32_t pos_choose(void *opaque, uint32_t n) {
    struct rv_pos *pos = opaque;
    return rv_sample_choose(&pos->rng, n);
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
