/* Is the program as a search up to equivalence takes it to be? Internal: run after such a search has called itself complete.
 *
 * The search leaves out schedules that differ from one it has seen in nothing but the order of transitions that do not
 * depend on each other, as far as ravel sees what they touch. It does not see all: inline assembly, and code that was not
 * built with ravel cc, may carry something from one thread to another. So: one execution at random, then another
 * one that does the same transitions in another order, at random among those that the partial order of the first
 * allows. If the assumption holds each thread does the same again: comes to the same points with the same operations,
 * and touches the same things. If it does not, sooner or later some thread goes another way, and the word
 * "complete" would be worth nothing.
 *
 * Executions that teach something are not compared, for points come and go with what is known; nor those in which a thread
 * was held back; nor failures, for what a failing operation had done already is anybody's guess. The comparison goes up to
 * where an execution is about to end, by the exit of the process, which comes last. complete(): no difference was seen.
 */
#include <string.h>

#include "strategy/order.h"
#include "strategy/rules.h"
#include "strategy/sample.h"

struct audit_state {
    struct rv_arena *arena;
    struct rv_rng rng;
    struct rv_order orders[2]; /* that of the execution under way, and */
    uint32_t now;
    bool following;      /* this is the second one of two */
    uint32_t limit;      /* so many transitions of the first are to be done again, */
    uint32_t done_count; /* transitions of the first that were done in the second */
    uint32_t *last_done; /* by thread: 1 + its last one */
    uint32_t *next_of;   /* by thread: 1 + its next one; 0: none */
    uint32_t *place;     /* of a transition of the second execution in the first */
    uint32_t last_capacity, next_capacity, place_capacity;
    uint32_t threads; /* of the first */
    uint32_t choice;
    bool differs, full;
};

static void *audit_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    struct audit_state *state = rv_arena_alloc(arena, sizeof *state);
    if (!state) return NULL;
    state->arena = arena;
    state->rng = rv_rng_stream(config->seed, config->worker);
    for (int i = 0; i < 2; i++) rv_order_init(&state->orders[i], arena);
    return state;
}

static struct rv_order *here(struct audit_state *state) { return &state->orders[state->now]; }
static struct rv_order *first(struct audit_state *state) { return &state->orders[state->now ^ 1]; }

static bool ends(const struct rv_transition *transition) {
    return transition->announced.op == RV_OP_NONE ||
           (transition->announced.op == RV_OP_EXIT && transition->announced.count == 0);
}

/* Room for the threads and transitions of the first execution; who comes first of each thread. */
static bool prepare(struct audit_state *state) {
    const struct rv_order *order = first(state);
    uint32_t threads = order->thread_count, *last, *next, *place;
    last = rv_grow(state->arena, state->last_done, &state->last_capacity, threads, sizeof *last);
    if (last) state->last_done = last;
    next = rv_grow(state->arena, state->next_of, &state->next_capacity, threads, sizeof *next);
    if (next) state->next_of = next;
    place = rv_grow(state->arena, state->place, &state->place_capacity, order->count, sizeof *place);
    if (place) state->place = place;
    if (!last || !next || !place) return false;
    memset(last, 0, threads * sizeof *last);
    memset(next, 0, threads * sizeof *next);
    state->limit = 0;
    while (state->limit < order->count && !ends(&order->transitions[state->limit])) state->limit++;
    for (uint32_t i = state->limit; i-- > 0;) next[order->transitions[i].footprint.thread] = i + 1;
    state->done_count = 0;
    state->threads = threads;
    return true;
}

static void audit_begin(void *opaque, uint64_t index) {
    (void)index;
    struct audit_state *state = opaque;
    state->choice = 0;
    if (state->following && !prepare(state)) state->full = true;
    rv_order_truncate(here(state), 0);
}

/* ---- the first execution ---- */

static uint32_t pick_at_random(struct audit_state *state, const struct rv_point *point) {
    enum rv_liking best = RV_LIKE_NOT;
    uint32_t chosen = 0, count = 0;
    for (uint32_t i = 0; i < point->count; i++) {
        enum rv_liking this = rv_liking(point, i);
        if (this < best || this == RV_LIKE_NOT) continue;
        if (this > best) count = 0;
        best = this;
        if (rv_rng_below(&state->rng, ++count) == 0) chosen = i;
    }
    return chosen;
}

/* ---- the second ---- */

/* Whether all that happens before the transition has been done. */
static bool may_come(const struct audit_state *state, const struct rv_order *order, uint32_t transition) {
    const uint32_t *clock = &order->clocks[(size_t)transition * order->width];
    for (uint32_t thread = 0; thread < state->threads; thread++) {
        if (thread == order->transitions[transition].footprint.thread) continue;
        if (clock[thread] > state->last_done[thread]) return false;
    }
    return true;
}

/* The next transition of the first execution to be done: 1 + its number; 0: none is left, or none can come. */
static uint32_t next_transition(struct audit_state *state) {
    const struct rv_order *order = first(state);
    uint32_t chosen = 0, count = 0;
    for (uint32_t thread = 0; thread < state->threads; thread++) {
        uint32_t next = state->next_of[thread];
        if (!next || !may_come(state, order, next - 1)) continue;
        if (rv_rng_below(&state->rng, ++count) == 0) chosen = next;
    }
    return chosen;
}

static void note_done(struct audit_state *state, uint32_t transition) {
    const struct rv_order *order = first(state);
    uint32_t thread = order->transitions[transition].footprint.thread, next = transition + 1;
    while (next < state->limit && order->transitions[next].footprint.thread != thread) next++;
    state->next_of[thread] = next < state->limit ? next + 1 : 0;
    state->last_done[thread] = transition + 1;
    state->place[state->done_count++] = transition;
}

/* Both orders number threads for themselves. */
static uint32_t lineage_of(const struct rv_order *order, uint32_t thread) {
    return ((const uint32_t *)order->lineages.items)[thread];
}

static int64_t candidate_for(struct audit_state *state, const struct rv_point *point, uint32_t transition) {
    const struct rv_transition *then = &first(state)->transitions[transition];
    for (uint32_t i = 0; i < point->count; i++) {
        const struct rv_candidate *candidate = &point->candidates[i];
        if (rv_order_number(first(state), candidate) != then->footprint.thread) continue;
        return candidate->step == then->step && candidate->next.op == then->footprint.op ? (int64_t)i : -1;
    }
    return -1;
}

/* A thread that would call exit() waits while another one does: who is first is the search's own matter (rules.h). */
static bool waits_to_exit(struct audit_state *state, const struct rv_point *point, uint32_t next) {
    if (!next || first(state)->transitions[next - 1].footprint.op != RV_OP_EXIT) return false;
    for (uint32_t i = 0; i < point->count; i++)
        if (rv_order_number(first(state), &point->candidates[i]) ==
            first(state)->transitions[next - 1].footprint.thread)
            return false;
    return true;
}

static uint32_t follow(struct audit_state *state, const struct rv_point *point) {
    if (state->done_count == state->limit) return pick_at_random(state, point);
    uint32_t next = next_transition(state);
    int64_t index = next ? candidate_for(state, point, next - 1) : -1;
    if (index < 0) {
        state->differs = !waits_to_exit(state, point, next);
        state->following = false;
        return pick_at_random(state, point);
    }
    note_done(state, next - 1);
    return (uint32_t)index;
}

static uint32_t audit_pick(void *opaque, const struct rv_point *point) {
    struct audit_state *state = opaque;
    rv_order_close(here(state), NULL);
    rv_order_threads(here(state), point);
    state->choice = 0;
    uint32_t index = state->following && !state->full ? follow(state, point) : pick_at_random(state, point);
    if (!rv_order_open(here(state), &point->candidates[index])) state->full = true;
    return index;
}

static uint32_t audit_choose(void *opaque, uint32_t n) {
    struct audit_state *state = opaque;
    struct rv_order *order = here(state);
    uint32_t at = state->choice++, answer = (uint32_t)rv_rng_below(&state->rng, n);
    if (!order->open || at >= RV_FOOTPRINT_CHOICES || n > 255) {
        state->full = true; /* not kept: not to be compared */
        return 0;
    }
    if (state->following && state->done_count == order->count) { /* one of those that are compared */
        const struct rv_transition *then = &first(state)->transitions[state->place[state->done_count - 1]];
        if (at >= then->footprint.choices || then->footprint.choice_of[at] != n)
            state->differs = true;
        else
            answer = then->footprint.choice[at];
    }
    struct rv_footprint *footprint = &order->transitions[order->count - 1].footprint;
    footprint->choice[at] = (uint8_t)answer;
    footprint->choice_of[at] = (uint8_t)n;
    footprint->choices = (uint8_t)(at + 1);
    return answer;
}

static void audit_observe(void *opaque, uint32_t thread, const struct rv_operation *done) {
    (void)thread;
    rv_order_observe(here(opaque), done);
}

/* ---- the comparison ---- */

static bool has_range(const struct rv_footprint *footprint, const struct rv_range *wanted) {
    for (uint32_t i = 0; i < footprint->count; i++) {
        const struct rv_range *range = &footprint->ranges[i];
        if (range->start == wanted->start && range->size == wanted->size && range->write == wanted->write)
            return true;
    }
    return false;
}

static bool same_footprint(const struct rv_footprint *a, const struct rv_footprint *b) {
    if (a->count != b->count || a->global != b->global || a->choices != b->choices) return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!has_range(b, &a->ranges[i])) return false;
    return true;
}

static bool same(struct audit_state *state) {
    const struct rv_order *now = here(state), *then = first(state);
    if (state->done_count != state->limit) return false;
    for (uint32_t i = 0; i < state->limit; i++) {
        const struct rv_footprint *one = &now->transitions[i].footprint;
        const struct rv_footprint *other = &then->transitions[state->place[i]].footprint;
        if (lineage_of(now, one->thread) != lineage_of(then, other->thread)) return false;
        if (!same_footprint(one, other)) return false;
    }
    return true;
}

static bool audit_end(void *opaque, const struct rv_strategy_end *outcome) {
    struct audit_state *state = opaque;
    bool lost = outcome->learned || outcome->not_terminating || outcome->held_back || state->full ||
                here(state)->full;
    rv_order_close(here(state), NULL);
    bool followed = state->following; /* else it was, from the start or in the end, one at random */
    state->following = false;
    if (lost || here(state)->count == 0) {
        state->differs = state->full = false;
        return true;
    }
    if (followed) {
        if (outcome->kind != RV_KIND_NONE || !same(state)) state->differs = true;
    } else if (!state->differs && outcome->kind == RV_KIND_NONE) {
        state->following = true;
        state->now ^= 1;
    }
    return !state->differs;
}

static bool audit_complete(const void *opaque) { return !((const struct audit_state *)opaque)->differs; }

const struct rv_strategy rv_strategy_audit = {
    .name = "audit",
    .parameter = "",
    .guarantee = "executions twice, in orders that should make no difference",
    .exhaustive = true,
    .internal = true,
    .undivided = true,
    .sees_all_points = true,
    .names_objects = true,
    .check = rv_check_no_params,
    .create = audit_create,
    .begin = audit_begin,
    .pick = audit_pick,
    .choose = audit_choose,
    .observe = audit_observe,
    .end = audit_end,
    .complete = audit_complete,
};
