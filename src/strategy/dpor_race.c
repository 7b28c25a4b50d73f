#include <string.h>

#include "strategy/dpor.h"
#include "strategy/sample.h"

/* What the k-th transition of a beginning is like; the last one as it was announced. */
static struct rv_footprint footprint_of(struct rv_dpor *state, uint32_t transition, bool last) {
    uint32_t count = state->order.count;
    if (transition >= RV_FOREIGN) return state->foreign[transition - RV_FOREIGN];
    if (transition < count) {
        const struct rv_transition *done = &state->order.transitions[transition];
        struct rv_footprint footprint = done->footprint;
        if (last) {
            rv_footprint_merge(&footprint, &done->announced);
            footprint.choices = 0; /* its choices are made anew */
        }
        footprint.fixed = footprint.choices;
        return footprint;
    }
    const struct rv_candidate *pending = &state->pending[transition - count];
    struct rv_footprint footprint = {.thread = rv_order_number(&state->order, pending),
                                     .op = pending->next.op};
    rv_footprint_add(&footprint, &pending->next);
    return footprint;
}

static const struct rv_footprint *look_at(struct rv_dpor *state, uint32_t transition, bool last,
                                          struct rv_footprint *buffer) {
    if (transition < state->order.count && !last) return &state->order.transitions[transition].footprint;
    *buffer = footprint_of(state, transition, last);
    return buffer;
}

static bool same_values(const struct rv_footprint *a, const struct rv_footprint *b) {
    return a->choices == b->choices && memcmp(a->choice, b->choice, a->choices) == 0;
}

/* Whether a branch that begins with the one stands for a beginning with the other, as far as choices go. */
static bool stands_for(const struct rv_footprint *branch, const struct rv_footprint *transition) {
    return !branch->fixed /* all choices are tried there */ || same_values(branch, transition);
}

/* Whether the transition could as well come first in the beginning. Sets *at to where it stands there, or to count. */
static bool rv_dpor_is_weak_initial(struct rv_dpor *state, uint32_t number, uint32_t count, uint32_t *at) {
    struct rv_footprint buffer;
    const struct rv_footprint *transition = &state->nodes[number].footprint;
    for (uint32_t i = 0; i < count; i++) {
        const struct rv_footprint *other =
            look_at(state, state->sequence[i], state->announced && i + 1 == count, &buffer);
        if (other->thread == transition->thread) {
            *at = i;
            buffer = footprint_of(state, state->sequence[i], state->announced && i + 1 == count);
            return stands_for(transition, &buffer);
        }
        if (rv_footprint_dependent(transition, other)) return false;
    }
    *at = count;
    return true;
}

/* Appends the beginning as a new branch behind the others of `*first`. */
static void append_branch(struct rv_dpor *state, uint32_t parent, uint32_t level, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        struct rv_footprint footprint =
            footprint_of(state, state->sequence[i], state->announced && i + 1 == count);
        uint32_t number = rv_dpor_new_node(state, &footprint);
        if (!number) return;
        state->nodes[number].fresh = level < state->floor;
        uint32_t *link = parent ? &state->nodes[parent].child : &state->levels[level].wakeup;
        while (*link) link = &state->nodes[*link].sibling;
        *link = number;
        parent = number;
    }
}

static void rv_dpor_insert(struct rv_dpor *state, uint32_t level, uint32_t count) {
    uint32_t parent = RV_NO_NODE;
    for (;;) {
        uint32_t branch = parent ? state->nodes[parent].child : state->levels[level].wakeup;
        uint32_t at = count;
        while (branch &&
               (state->nodes[branch].doubtful || !rv_dpor_is_weak_initial(state, branch, count, &at)))
            branch = state->nodes[branch].sibling;
        if (!branch) break;
        if (!state->nodes[branch].child) return; /* explored with everything that can follow */
        if (at < count) {
            if (at + 1 == count) state->announced = false;
            count--;
            memmove(&state->sequence[at], &state->sequence[at + 1], (count - at) * sizeof *state->sequence);
        }
        parent = branch;
    }
    append_branch(state, parent, level, count);
}

static bool ended_execution(const struct rv_transition *done) {
    return done->announced.op == RV_OP_NONE ||
           (done->announced.op == RV_OP_EXIT && done->announced.count == 0);
}

/* Whether nothing that begins with `sequence` need be explored, since something that sleeps could as well come first in it. (Of
 * what is `away` dpor_part.c says why it must be a part of the beginning.) */
static bool sleeps(struct rv_dpor *state, uint32_t level, uint32_t count) {
    uint32_t at;
    for (uint32_t i = state->levels[level].sleep, end = rv_dpor_sleep_end(state, level); i < end; i++)
        if (rv_dpor_is_weak_initial(state, state->asleep[i], count, &at) &&
            (at < count || !state->nodes[state->asleep[i]].away))
            return true;
    return false;
}

/* As a branch of its own, behind all others. */
static void append_doubtful(struct rv_dpor *state, uint32_t level, uint32_t count) {
    append_branch(state, RV_NO_NODE, level, count);
    uint32_t *link = &state->levels[level].wakeup;
    while (*link && state->nodes[*link].sibling) link = &state->nodes[*link].sibling;
    if (*link) state->nodes[*link].doubtful = true;
}

static bool reserve_sequence(struct rv_dpor *state, uint32_t count) {
    uint32_t *larger =
        rv_grow(state->arena, state->sequence, &state->sequence_capacity, count, sizeof *larger);
    if (larger)
        state->sequence = larger;
    else
        state->cut = true;
    return larger != NULL;
}

bool rv_dpor_insert_foreign(struct rv_dpor *state, uint32_t level, uint32_t count) {
    if (!reserve_sequence(state, count)) return false;
    for (uint32_t i = 0; i < count; i++) state->sequence[i] = RV_FOREIGN + i;
    state->announced = false;
    if (!sleeps(state, level, count))
        rv_dpor_insert(state, level, count);
    else if (level >= state->floor)
        append_doubtful(state, level, count);
    return true;
}

void rv_dpor_reverse(struct rv_dpor *state, const struct rv_dpor_race *race) {
    struct rv_order *order = &state->order;
    if (!reserve_sequence(state, order->count + 1)) return;
    uint32_t count = 0;
    for (uint32_t i = race->first + 1; i < order->count; i++)
        if (!rv_order_before(order, race->first, i) && !ended_execution(&order->transitions[i]))
            state->sequence[count++] = i;
    state->sequence[count++] = race->second;
    state->announced = true;
    if (!sleeps(state, race->first, count)) rv_dpor_insert(state, race->first, count);
}
