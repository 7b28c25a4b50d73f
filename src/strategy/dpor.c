/* Exhaustive search up to equivalence: one execution for each Mazurkiewicz trace.
 *
 * Two executions are equivalent if one becomes the other by swapping neighbours that do not depend on each other
 * (footprint.h, order.h). This is optimal DPOR with wakeup trees (Abdulla, Aronsson, Jonsson, Sagonas: Optimal Dynamic Partial
 * Order Reduction, POPL 2014; Source Sets, JACM 2017, for operations that wait).
 *
 * The stack has a level for each transition of the execution under way. At a level:
 *   sleep    transitions that have been explored from here (or from further up, and nothing since depends on them). Whatever
 *            begins with one of them has been seen.
 *   wakeup   a tree of beginnings that are still to be explored from here.
 * When an execution is over, each of its new races (i, j) gives a beginning for level i: all that does not happen after i,
 * then j. It is put into the tree of that level, unless a sleeping transition could as well come first in it, or the tree has
 * it already. Then the deepest level with something left in its tree goes on with that. Because a beginning is
 * followed to its end before anything else is chosen, no execution ever comes to a state where all that can go on is asleep:
 * that is what makes it optimal. It can come there all the same if a beginning could not be followed, which was only perhaps
 * possible (order.h); from there on it shows nothing new, and its races are not reversed.
 *
 * Where the engine is richer than the paper's programs:
 *   waiting      a race is one only if the later operation could have gone first (order.h). Operations still waiting at the
 *                end of an execution (a deadlock) race like those that were done.
 *   time-outs    are what the thread does where it cannot go on otherwise; a time-out where it can is the same as going on.
 *   choices      (which waiter a signal wakes) are alternatives of a transition: all are gone through before it goes to sleep.
 *   failures     the thread that failed goes last, after everybody else has come as far as they can: what would have raced
 *                with it must be seen. So does the end of the process. If several are left, each is tried.
 *   learning     as in dfs.c: the tree depends on which sites are known to be in conflict.
 *
 * Memory: the stack and its trees. The sleep sets lie one behind the other in an array of references.
 */
#include "strategy/dpor.h"

#include <string.h>

#include "strategy/replay.h"
#include "strategy/rules.h"
#include "strategy/sample.h"

static void *dpor_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    struct rv_dpor *state = rv_arena_alloc(arena, sizeof *state);
    if (!state) return NULL;
    state->arena = arena;
    state->divided = config->divided;
    state->known = config->known;
    state->node_count = 1;
    rv_order_init(&state->order, arena);
    return state;
}

static void dpor_begin(void *opaque, uint64_t index) {
    (void)index;
    struct rv_dpor *state = opaque;
    state->depth = 0;
    while (state->race_count && state->races[state->race_count - 1].second >= state->recorded)
        state->race_count--;
    state->known_races = state->race_count;
    state->pending_count = 0;
    state->choice = state->forced = 0;
    state->blocked = 0;
    rv_order_truncate(&state->order, state->recorded);
}

bool rv_dpor_reserve_level(struct rv_dpor *state, uint32_t level) {
    struct rv_dpor_level *larger =
        rv_grow(state->arena, state->levels, &state->level_capacity, level, sizeof *larger);
    if (larger) state->levels = larger;
    return larger != NULL;
}

/* ---- one transition after the other ---- */

void rv_dpor_add_races(struct rv_dpor *state, const struct rv_races *races, uint32_t second) {
    if (races->overflow) state->cut = true;
    for (uint32_t i = 0; i < races->count; i++) {
        struct rv_dpor_race *larger =
            rv_grow(state->arena, state->races, &state->race_capacity, state->race_count, sizeof *larger);
        if (!larger) {
            state->cut = true;
            return;
        }
        state->races = larger;
        state->races[state->race_count++] = (struct rv_dpor_race){races->with[i], second};
    }
}

/* The transition under way is over: what sleeps on at the next level. */
static void close_transition(struct rv_dpor *state) {
    if (!state->order.open) return;
    uint32_t level = state->depth - 1;
    struct rv_races races;
    rv_order_close(&state->order, &races);
    rv_dpor_add_races(state, &races, level);
    const struct rv_footprint *done = &state->order.transitions[level].footprint;
    uint32_t begin = state->levels[level].sleep, end = state->asleep_count;
    state->levels[state->depth].sleep = end;
    state->levels[state->depth].merged = false;
    for (uint32_t i = begin; i < end; i++)
        if (!rv_footprint_dependent(&state->nodes[state->asleep[i]].footprint, done))
            rv_dpor_add_asleep(state, state->asleep[i]);
}

static int64_t candidate_of(struct rv_dpor *state, const struct rv_point *point, uint32_t thread) {
    for (uint32_t i = 0; i < point->count; i++)
        if (rv_order_number(&state->order, &point->candidates[i]) == thread)
            return i; /* going on normally stands first */
    return -1;
}

static enum rv_liking liking(struct rv_dpor *state, const struct rv_point *point, uint32_t index) {
    if (rv_dpor_is_asleep(state, rv_order_number(&state->order, &point->candidates[index])))
        return RV_LIKE_NOT;
    return rv_liking(point, index);
}

static uint32_t pick_freely(struct rv_dpor *state, const struct rv_point *point) {
    uint32_t chosen = rv_default_pick(point);
    enum rv_liking best = liking(state, point, chosen);
    for (uint32_t i = 0; i < point->count; i++) {
        enum rv_liking this = liking(state, point, i);
        if (this <= best) continue;
        best = this;
        chosen = i;
    }
    if (best == RV_LIKE_NOT) {
        state->redundant++;
        if (!state->blocked) state->blocked = state->depth + 1;
    }
    if (best != RV_LIKE_END) return chosen;
    for (uint32_t i = 0; i < point->count; i++) { /* whoever ends it: a branch each */
        if (i == chosen || !liking(state, point, i)) continue;
        struct rv_footprint other = {.thread = rv_order_number(&state->order, &point->candidates[i])};
        rv_footprint_add(&other, &point->candidates[i].next);
        uint32_t number = rv_dpor_new_node(state, &other);
        if (!number) continue;
        state->nodes[number].sibling = state->levels[state->depth].wakeup;
        state->levels[state->depth].wakeup = number;
    }
    return chosen;
}

/* Follows the first branch of the wakeup tree of this level; -1: there is none. */
static int64_t follow_wakeup(struct rv_dpor *state, const struct rv_point *point) {
    struct rv_dpor_level *level = &state->levels[state->depth];
    uint32_t branch = level->wakeup;
    if (!branch) return -1;
    const struct rv_dpor_node *node = &state->nodes[branch];
    int64_t index = candidate_of(state, point, node->footprint.thread);
    level->wakeup = node->sibling;
    if (index >= 0) {
        state->forced = node->footprint.choices;
        state->fixed = node->footprint.fixed;
        memcpy(state->prescribed, node->footprint.choice, sizeof state->prescribed);
        state->levels[state->depth + 1].wakeup = node->child;
        if (node->doubtful) state->doubt = state->depth + 1;
    } else {
        state->redundant++;
        rv_dpor_free_tree(state, node->child);
    }
    rv_dpor_free_node(state, branch);
    return index;
}

static uint32_t give_up(struct rv_dpor *state, const struct rv_point *point) {
    state->cut = true;
    state->order.open = false;
    return rv_default_pick(point);
}

static uint32_t repeat(struct rv_dpor *state, const struct rv_point *point, int64_t index) {
    const struct rv_transition *then = &state->order.transitions[state->depth];
    state->depth++;
    state->choice = 0;
    state->forced = then->footprint.choices;
    memcpy(state->prescribed, then->footprint.choice, sizeof state->prescribed);
    (void)point;
    return (uint32_t)index;
}

static void forget_from(struct rv_dpor *state, uint32_t level) {
    for (uint32_t i = state->recorded + 1; i-- > level;) {
        rv_dpor_free_tree(state, state->levels[i].wakeup);
        state->levels[i].wakeup = RV_NO_NODE;
        rv_dpor_forget_sleep(state, i);
    }
    rv_order_truncate(&state->order, level);
    state->recorded = level;
    while (state->race_count && state->races[state->race_count - 1].second >= level) state->race_count--;
    if (state->known_races > state->race_count) state->known_races = state->race_count;
}

static uint32_t dpor_pick(void *opaque, const struct rv_point *point) {
    struct rv_dpor *state = opaque;
    if (state->depth < state->recorded) {
        const struct rv_transition *then = &state->order.transitions[state->depth];
        int64_t index = candidate_of(state, point, then->footprint.thread);
        if (index >= 0 && point->candidates[index].step == then->step &&
            point->candidates[index].next.op == then->footprint.op)
            return repeat(state, point, index);
        state->mismatch = true;
        forget_from(state, state->depth);
    }
    if (!rv_dpor_reserve_level(state, state->depth + 1) || state->order.full) return give_up(state, point);
    close_transition(state);
    if (state->depth == 0) state->levels[0].sleep = 0;
    rv_order_threads(&state->order, point);
    state->levels[state->depth + 1].wakeup = RV_NO_NODE;
    state->levels[state->depth + 1].done = state->levels[state->depth + 1].children = 0;
    state->choice = state->forced = state->fixed = 0;
    int64_t index = follow_wakeup(state, point);
    if (index < 0) index = pick_freely(state, point);
    if (!rv_order_open(&state->order, &point->candidates[index])) return give_up(state, point);
    state->depth++;
    return (uint32_t)index;
}

static uint32_t first_choice(const struct rv_dpor *state, uint32_t at) {
    if (!state->order.open) return 0;
    uint32_t level = state->depth - 1;
    return rv_dpor_awake_choice(state, level, state->order.transitions[level].footprint.thread, at, 0);
}

static uint32_t dpor_choose(void *opaque, uint32_t n) {
    struct rv_dpor *state = opaque;
    uint32_t at = state->choice++;
    bool nobodys = state->depth == 0; /* before the first transition */
    state->choices = true;
    if (nobodys || at >= RV_FOOTPRINT_CHOICES || n > 255) {
        state->cut = true;
        return 0;
    }
    uint32_t answer = at < state->forced ? state->prescribed[at] : first_choice(state, at);
    if (answer >= n) answer = 0;
    if (state->order.open) {
        struct rv_footprint *footprint = &state->order.transitions[state->order.count - 1].footprint;
        footprint->choice[at] = (uint8_t)answer;
        footprint->choice_of[at] = (uint8_t)n;
        footprint->choices = (uint8_t)(at + 1);
        footprint->fixed = state->fixed;
    }
    return answer;
}

static void dpor_observe(void *opaque, uint32_t thread, const struct rv_operation *done) {
    (void)thread;
    struct rv_dpor *state = opaque;
    rv_order_observe(&state->order, done);
}

static void dpor_unfinished(void *opaque, const struct rv_candidate *pending, uint32_t count) {
    struct rv_dpor *state = opaque;
    if (!rv_dpor_reserve_level(state, state->depth + 1)) return;
    close_transition(state);
    for (uint32_t i = 0; i < count; i++) {
        struct rv_candidate *larger = rv_grow(state->arena, state->pending, &state->pending_capacity,
                                              state->pending_count, sizeof *larger);
        struct rv_races races;
        if (!larger) {
            state->cut = true;
            return;
        }
        state->pending = larger;
        if (pending[i].next.op == RV_OP_NONE) continue;
        state->pending[state->pending_count] = pending[i];
        rv_order_pending_races(&state->order, &pending[i], &races);
        rv_dpor_add_races(state, &races, state->order.count + state->pending_count++);
    }
}

/* ---- going back ---- */

/* Another choice for the transition of this level; false: all were made. */
static bool next_choice(struct rv_dpor *state, uint32_t level) {
    const struct rv_transition *done = &state->order.transitions[level];
    const struct rv_footprint *footprint = &done->footprint;
    for (uint32_t k = footprint->choices; k-- > footprint->fixed;) {
        uint32_t after = rv_dpor_awake_choice(state, level, footprint->thread, k, footprint->choice[k] + 1u);
        if (after >= footprint->choice_of[k]) continue;
        struct rv_footprint next = done->announced;
        next.fixed = footprint->fixed;
        next.choices = (uint8_t)(k + 1);
        memcpy(next.choice, footprint->choice, sizeof next.choice);
        next.choice[k] = (uint8_t)after;
        struct rv_dpor_level *here = &state->levels[level];
        if (here->merged)
            rv_footprint_merge(&here->others, footprint);
        else
            here->others = *footprint;
        here->merged = true;
        uint32_t number = rv_dpor_new_node(state, &next);
        if (!number) return false;
        state->nodes[number].sibling = here->wakeup;
        here->wakeup = number;
        return true;
    }
    return false;
}

/* The transition of this level, or another of its choices, has been explored: what is next there? */
static bool go_on_at(struct rv_dpor *state, uint32_t level, bool again) {
    rv_order_truncate(&state->order, level);
    state->recorded = level;
    state->levels[level].done++;
    state->other_choice = again;
    if (state->doubt > level) state->doubt = 0;
    return state->levels[level].wakeup != RV_NO_NODE;
}

bool rv_dpor_go_back(struct rv_dpor *state) {
    /* The level behind the last transition has a sleep set, too, all of it inherited. */
    if (state->order.count < state->level_capacity && state->order.count)
        state->asleep_count = state->levels[state->order.count].sleep;
    while (state->order.count > state->floor) {
        uint32_t level = state->order.count - 1;
        bool again = next_choice(state, level);
        if (!again) {
            if (state->doubt != level + 1) rv_dpor_fall_asleep(state, level);
            state->levels[level].merged = false;
        }
        if (go_on_at(state, level, again)) return true;
        if (state->levels[level].children) {
            state->waits = true;
            return false;
        }
        rv_dpor_forget_sleep(state, level);
    }
    return false;
}

void rv_dpor_clear(struct rv_dpor *state) {
    rv_order_truncate(&state->order, 0);
    state->recorded = state->depth = state->floor = 0;
    state->asleep_count = 0;
    state->free_node = RV_NO_NODE;
    state->node_count = 1;
    state->race_count = state->known_races = 0;
    state->other_choice = state->waits = state->whole = false;
    state->doubt = 0;
    if (state->level_capacity) state->levels[0] = (struct rv_dpor_level){0};
}

static void start_over(struct rv_dpor *state) {
    bool whole = state->whole;
    rv_dpor_clear(state);
    state->whole = whole;
    state->executions = 0;
    state->learned = state->mismatch = state->cut = false;
}

static bool dpor_end(void *opaque, const struct rv_strategy_end *outcome) {
    struct rv_dpor *state = opaque;
    state->executions++;
    if (outcome->learned) state->learned = true;
    if (outcome->not_terminating || outcome->held_back) state->cut = true;
    if (state->order.open) dpor_unfinished(state, NULL, 0);
    if (state->depth < state->recorded) {
        state->mismatch = true;
        forget_from(state, state->depth);
    }
    if (!state->divided && state->mismatch && !state->learned) state->nondeterministic = true;
    if (state->learned && state->executions <= RV_SEARCH_YOUNG && (!state->divided || state->whole)) {
        start_over(state);
        return true;
    }
    bool known = state->divided && rv_dpor_was_known(state) && state->doubt;
    for (uint32_t i = state->other_choice ? 0 : state->known_races; i < state->race_count && !known; i++)
        if (!state->blocked || state->races[i].second < state->blocked - 1)
            rv_dpor_reverse(state, &state->races[i]);
    state->other_choice = false;
    if (state->order.full) state->cut = true;
    if (rv_dpor_go_back(state)) return true;
    if (state->divided) return false;
    if (!state->learned && !state->mismatch) {
        state->finished = true;
        return false;
    }
    start_over(state);
    return true;
}

static bool dpor_complete(const void *opaque) {
    const struct rv_dpor *state = opaque;
    return state->finished && !state->cut && !state->nondeterministic;
}

static void dpor_progress(const void *opaque, struct rv_search_progress *progress) {
    const struct rv_dpor *state = opaque;
    *progress = (struct rv_search_progress){.left = state->finished ? 0 : rv_dpor_left(state, state->floor),
                                            .executions = state->executions,
                                            .depth = state->recorded,
                                            .grows = true};
}

const struct rv_strategy rv_strategy_dpor = {
    .name = "dpor",
    .parameter = "",
    .guarantee = "one schedule of each kind that can differ; says so when it has seen them all",
    .exhaustive = true,
    .sees_all_points = true,
    .names_objects = true,
    .check = rv_check_no_params,
    .create = dpor_create,
    .begin = dpor_begin,
    .pick = dpor_pick,
    .choose = dpor_choose,
    .observe = dpor_observe,
    .unfinished = dpor_unfinished,
    .end = dpor_end,
    .complete = dpor_complete,
    .progress = dpor_progress,
    .division = &rv_dpor_division,
};
