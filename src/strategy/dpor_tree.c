#include <string.h>

#include "strategy/dpor.h"
#include "strategy/sample.h"

uint32_t rv_dpor_new_node(struct rv_dpor *state, const struct rv_footprint *footprint) {
    uint32_t number = state->free_node;
    if (number) {
        state->free_node = state->nodes[number].sibling;
    } else {
        struct rv_dpor_node *larger =
            rv_grow(state->arena, state->nodes, &state->node_capacity, state->node_count, sizeof *larger);
        if (!larger) {
            state->cut = true;
            return RV_NO_NODE;
        }
        state->nodes = larger;
        number = state->node_count++;
    }
    state->nodes[number] = (struct rv_dpor_node){.footprint = *footprint};
    return number;
}

void rv_dpor_free_node(struct rv_dpor *state, uint32_t number) {
    state->nodes[number].sibling = state->free_node;
    state->free_node = number;
}

/* Beginnings can be long, stacks are not: what follows a node is put before the rest of the list. */
void rv_dpor_free_tree(struct rv_dpor *state, uint32_t number) {
    while (number) {
        uint32_t next = state->nodes[number].sibling, last = state->nodes[number].child;
        while (last && state->nodes[last].sibling) last = state->nodes[last].sibling;
        if (last) {
            state->nodes[last].sibling = next;
            next = state->nodes[number].child;
        }
        rv_dpor_free_node(state, number);
        number = next;
    }
}

void rv_dpor_add_asleep(struct rv_dpor *state, uint32_t number) {
    uint32_t *larger =
        rv_grow(state->arena, state->asleep, &state->asleep_capacity, state->asleep_count, sizeof *larger);
    if (!larger) {
        state->cut = true;
        return;
    }
    state->asleep = larger;
    state->asleep[state->asleep_count++] = number;
}

uint32_t rv_dpor_sleep_end(const struct rv_dpor *state, uint32_t level) {
    return level < state->depth ? state->levels[level + 1].sleep : state->asleep_count;
}

bool rv_dpor_is_asleep(const struct rv_dpor *state, uint32_t thread) {
    for (uint32_t i = state->levels[state->depth].sleep; i < state->asleep_count; i++)
        if (state->nodes[state->asleep[i]].footprint.thread == thread &&
            !state->nodes[state->asleep[i]].footprint.fixed)
            return true;
    return false;
}

/* The first alternative from `value` on that does not sleep: for the first choice of a transition; the others always
 * come with it. */
uint32_t rv_dpor_awake_choice(const struct rv_dpor *state, uint32_t level, uint32_t thread, uint32_t which,
                              uint32_t value) {
    if (which > 0) return value;
    uint32_t end = level + 1 < state->depth ? state->levels[level + 1].sleep : state->asleep_count;
    for (uint32_t i = state->levels[level].sleep; i < end; i++) {
        const struct rv_footprint *sleeper = &state->nodes[state->asleep[i]].footprint;
        if (sleeper->thread != thread || !sleeper->fixed || sleeper->choice[0] != value) continue;
        value++;
        i = state->levels[level].sleep - 1;
    }
    return value;
}

/* If by now all choices of the transition sleep, all of it does. */
static void join_sleepers(struct rv_dpor *state, uint32_t level, struct rv_footprint *all) {
    uint32_t count = 0;
    for (uint32_t i = state->levels[level].sleep; i < state->asleep_count; i++) {
        const struct rv_footprint *sleeper = &state->nodes[state->asleep[i]].footprint;
        if (sleeper->thread != all->thread || sleeper->fixed != 1) continue;
        rv_footprint_merge(all, sleeper);
        count++;
    }
    if (count < all->choice_of[0]) return;
    all->fixed = all->choices = 0;
    uint32_t number = rv_dpor_new_node(state, all);
    if (number) rv_dpor_add_asleep(state, number);
}

void rv_dpor_fall_asleep(struct rv_dpor *state, uint32_t level) {
    struct rv_footprint footprint = state->order.transitions[level].footprint;
    if (state->levels[level].merged) rv_footprint_merge(&footprint, &state->levels[level].others);
    footprint.choices = footprint.fixed; /* all choices behind these were tried */
    uint32_t number = rv_dpor_new_node(state, &footprint);
    if (number) rv_dpor_add_asleep(state, number);
    if (footprint.fixed == 1) join_sleepers(state, level, &footprint);
}

/* What went to sleep at this level first, not further up, is forgotten with it. */
void rv_dpor_forget_sleep(struct rv_dpor *state, uint32_t level) {
    uint32_t begin = state->levels[level].sleep;
    uint32_t above = level ? state->levels[level - 1].sleep : 0;
    for (uint32_t i = begin; i < state->asleep_count; i++) {
        bool inherited = false;
        for (uint32_t k = above; k < begin && !inherited; k++)
            inherited = state->asleep[k] == state->asleep[i];
        if (!inherited) rv_dpor_free_node(state, state->asleep[i]);
    }
    state->asleep_count = begin;
}
