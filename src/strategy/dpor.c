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
 * that is what makes it optimal.
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
#include <string.h>

#include "strategy/order.h"
#include "strategy/replay.h"
#include "strategy/rules.h"
#include "strategy/sample.h"

enum { YOUNG = 32, NO_NODE = 0 };

/* A beginning in a wakeup tree, or what is asleep: a transition. */
struct node {
    struct rv_footprint footprint;
    uint32_t child;   /* first of what may follow; NO_NODE: anything */
    uint32_t sibling; /* also the list of free nodes */
};

struct level {
    uint32_t wakeup; /* first branch to be explored after the one under way */
    uint32_t sleep;  /* where its sleep set begins in `asleep` */
    bool merged;     /* `others` has what the transition touched with other choices */
    struct rv_footprint others;
};

struct race {
    uint32_t first;
    uint32_t second; /* the number of transitions + k: pending operation k */
};

struct dpor_state {
    struct rv_arena *arena;
    struct rv_order order;
    struct level *levels;
    uint32_t level_capacity;
    uint32_t recorded; /* transitions that this execution repeats */
    uint32_t depth;    /* transitions begun */
    /* nodes */
    struct node *nodes;
    uint32_t node_capacity, node_count, free_node;
    uint32_t *asleep; /* references to nodes */
    uint32_t asleep_capacity, asleep_count;
    struct race *races;
    uint32_t race_capacity, race_count;
    uint32_t known_races; /* so many of them are in what this execution repeats */
    bool other_choice;    /* it began with another choice of a transition: all of its races are new */
    struct rv_candidate *pending; /* at the end */
    uint32_t pending_capacity, pending_count;
    uint32_t *sequence; /* a beginning under construction: transitions, or their number + k */
    uint32_t sequence_capacity;
    bool announced; /* its last one is taken as announced, for there it comes earlier than it was done */
    uint32_t forced;  /* choices of the transition under way that are prescribed */
    uint32_t choice;  /* how many it has made */
    uint8_t prescribed[RV_FOOTPRINT_CHOICES];
    uint8_t fixed;
    /* verdict */
    uint64_t executions, redundant;
    bool learned, mismatch, cut, nondeterministic, finished;
};

static void *dpor_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    (void)config;
    struct dpor_state *state = rv_arena_alloc(arena, sizeof *state);
    if (!state) return NULL;
    state->arena = arena;
    state->node_count = 1;
    rv_order_init(&state->order, arena);
    return state;
}

static void dpor_begin(void *opaque, uint64_t index) {
    (void)index;
    struct dpor_state *state = opaque;
    state->depth = 0;
    while (state->race_count && state->races[state->race_count - 1].second >= state->recorded)
        state->race_count--;
    state->known_races = state->race_count;
    state->pending_count = 0;
    state->choice = state->forced = 0;
    rv_order_truncate(&state->order, state->recorded);
}

/* ---- nodes and sleep sets ---- */

static uint32_t new_node(struct dpor_state *state, const struct rv_footprint *footprint) {
    uint32_t number = state->free_node;
    if (number) {
        state->free_node = state->nodes[number].sibling;
    } else {
        struct node *larger =
            rv_grow(state->arena, state->nodes, &state->node_capacity, state->node_count, sizeof *larger);
        if (!larger) {
            state->cut = true;
            return NO_NODE;
        }
        state->nodes = larger;
        number = state->node_count++;
    }
    state->nodes[number] = (struct node){.footprint = *footprint};
    return number;
}

static void free_node(struct dpor_state *state, uint32_t number) {
    state->nodes[number].sibling = state->free_node;
    state->free_node = number;
}

static void free_tree(struct dpor_state *state, uint32_t number) {
    while (number) {
        uint32_t next = state->nodes[number].sibling;
        free_tree(state, state->nodes[number].child);
        free_node(state, number);
        number = next;
    }
}

static void add_asleep(struct dpor_state *state, uint32_t number) {
    uint32_t *larger = rv_grow(state->arena, state->asleep, &state->asleep_capacity, state->asleep_count,
                               sizeof *larger);
    if (!larger) {
        state->cut = true;
        return;
    }
    state->asleep = larger;
    state->asleep[state->asleep_count++] = number;
}

static uint32_t sleep_end(const struct dpor_state *state, uint32_t level) {
    return level < state->depth ? state->levels[level + 1].sleep : state->asleep_count;
}

static bool is_asleep(const struct dpor_state *state, uint32_t thread) {
    for (uint32_t i = state->levels[state->depth].sleep; i < state->asleep_count; i++)
        if (state->nodes[state->asleep[i]].footprint.thread == thread &&
            !state->nodes[state->asleep[i]].footprint.fixed)
            return true;
    return false;
}

/* The first alternative from `value` on that does not sleep: for the first choice of a transition; the others always
 * come with it. */
static uint32_t awake_choice(const struct dpor_state *state, uint32_t level, uint32_t thread, uint32_t which,
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

static bool reserve_level(struct dpor_state *state, uint32_t level) {
    struct level *larger =
        rv_grow(state->arena, state->levels, &state->level_capacity, level, sizeof *larger);
    if (larger) state->levels = larger;
    return larger != NULL;
}

/* ---- one transition after the other ---- */

static void add_races(struct dpor_state *state, const struct rv_races *races, uint32_t second) {
    if (races->overflow) state->cut = true;
    for (uint32_t i = 0; i < races->count; i++) {
        struct race *larger =
            rv_grow(state->arena, state->races, &state->race_capacity, state->race_count, sizeof *larger);
        if (!larger) {
            state->cut = true;
            return;
        }
        state->races = larger;
        state->races[state->race_count++] = (struct race){races->with[i], second};
    }
}

/* The transition under way is over: what sleeps on at the next level. */
static void close_transition(struct dpor_state *state) {
    if (!state->order.open) return;
    uint32_t level = state->depth - 1;
    struct rv_races races;
    rv_order_close(&state->order, &races);
    add_races(state, &races, level);
    const struct rv_footprint *done = &state->order.transitions[level].footprint;
    uint32_t begin = state->levels[level].sleep, end = state->asleep_count;
    state->levels[state->depth].sleep = end;
    state->levels[state->depth].merged = false;
    for (uint32_t i = begin; i < end; i++)
        if (!rv_footprint_dependent(&state->nodes[state->asleep[i]].footprint, done))
            add_asleep(state, state->asleep[i]);
}

static int64_t candidate_of(struct dpor_state *state, const struct rv_point *point, uint32_t thread) {
    for (uint32_t i = 0; i < point->count; i++)
        if (rv_order_number(&state->order, &point->candidates[i]) == thread)
            return i; /* going on normally stands first */
    return -1;
}

static enum rv_liking liking(struct dpor_state *state, const struct rv_point *point, uint32_t index) {
    if (is_asleep(state, rv_order_number(&state->order, &point->candidates[index]))) return RV_LIKE_NOT;
    return rv_liking(point, index);
}

static uint32_t pick_freely(struct dpor_state *state, const struct rv_point *point) {
    uint32_t chosen = rv_default_pick(point);
    enum rv_liking best = liking(state, point, chosen);
    for (uint32_t i = 0; i < point->count; i++) {
        enum rv_liking this = liking(state, point, i);
        if (this <= best) continue;
        best = this;
        chosen = i;
    }
    if (best == RV_LIKE_NOT) state->redundant++;
    if (best != RV_LIKE_END) return chosen;
    for (uint32_t i = 0; i < point->count; i++) { /* whoever ends it: a branch each */
        if (i == chosen || !liking(state, point, i)) continue;
        struct rv_footprint other = {.thread = rv_order_number(&state->order, &point->candidates[i])};
        rv_footprint_add(&other, &point->candidates[i].next);
        uint32_t number = new_node(state, &other);
        if (!number) continue;
        state->nodes[number].sibling = state->levels[state->depth].wakeup;
        state->levels[state->depth].wakeup = number;
    }
    return chosen;
}

/* Follows the first branch of the wakeup tree of this level; -1: there is none. */
static int64_t follow_wakeup(struct dpor_state *state, const struct rv_point *point) {
    struct level *level = &state->levels[state->depth];
    uint32_t branch = level->wakeup;
    if (!branch) return -1;
    const struct node *node = &state->nodes[branch];
    int64_t index = candidate_of(state, point, node->footprint.thread);
    level->wakeup = node->sibling;
    if (index >= 0) {
        state->forced = node->footprint.choices;
        state->fixed = node->footprint.fixed;
        memcpy(state->prescribed, node->footprint.choice, sizeof state->prescribed);
        state->levels[state->depth + 1].wakeup = node->child;
    } else {
        state->redundant++;
        free_tree(state, node->child);
    }
    free_node(state, branch);
    return index;
}

static uint32_t give_up(struct dpor_state *state, const struct rv_point *point) {
    state->cut = true;
    state->order.open = false;
    return rv_default_pick(point);
}

static uint32_t repeat(struct dpor_state *state, const struct rv_point *point, int64_t index) {
    const struct rv_transition *then = &state->order.transitions[state->depth];
    state->depth++;
    state->choice = 0;
    state->forced = then->footprint.choices;
    memcpy(state->prescribed, then->footprint.choice, sizeof state->prescribed);
    (void)point;
    return (uint32_t)index;
}

static void forget_from(struct dpor_state *state, uint32_t level) {
    for (uint32_t i = level; i <= state->recorded && i < state->level_capacity; i++) {
        free_tree(state, state->levels[i].wakeup);
        state->levels[i].wakeup = NO_NODE;
    }
    rv_order_truncate(&state->order, level);
    state->recorded = level;
    while (state->race_count && state->races[state->race_count - 1].second >= level) state->race_count--;
    if (state->known_races > state->race_count) state->known_races = state->race_count;
    if (level < state->level_capacity) state->asleep_count = state->levels[level].sleep;
}

static uint32_t dpor_pick(void *opaque, const struct rv_point *point) {
    struct dpor_state *state = opaque;
    if (state->depth < state->recorded) {
        const struct rv_transition *then = &state->order.transitions[state->depth];
        int64_t index = candidate_of(state, point, then->footprint.thread);
        if (index >= 0 && point->candidates[index].step == then->step &&
            point->candidates[index].next.op == then->footprint.op)
            return repeat(state, point, index);
        state->mismatch = true;
        forget_from(state, state->depth);
    }
    if (!reserve_level(state, state->depth + 1) || state->order.full) return give_up(state, point);
    close_transition(state);
    if (state->depth == 0) state->levels[0].sleep = 0;
    rv_order_threads(&state->order, point);
    state->levels[state->depth + 1].wakeup = NO_NODE;
    state->choice = state->forced = state->fixed = 0;
    int64_t index = follow_wakeup(state, point);
    if (index < 0) index = pick_freely(state, point);
    if (!rv_order_open(&state->order, &point->candidates[index])) return give_up(state, point);
    state->depth++;
    return (uint32_t)index;
}

static uint32_t first_choice(const struct dpor_state *state, uint32_t at) {
    if (!state->order.open) return 0;
    uint32_t level = state->depth - 1;
    return awake_choice(state, level, state->order.transitions[level].footprint.thread, at, 0);
}

static uint32_t dpor_choose(void *opaque, uint32_t n) {
    struct dpor_state *state = opaque;
    uint32_t at = state->choice++;
    if (at >= RV_FOOTPRINT_CHOICES || n > 255) {
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
    struct dpor_state *state = opaque;
    rv_order_observe(&state->order, done);
}

/* ---- races ---- */

static void dpor_unfinished(void *opaque, const struct rv_candidate *pending, uint32_t count) {
    struct dpor_state *state = opaque;
    if (!reserve_level(state, state->depth + 1)) return;
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
        add_races(state, &races, state->order.count + state->pending_count++);
    }
}

/* What the k-th transition of a beginning is like; the last one as it was announced. */
static struct rv_footprint footprint_of(struct dpor_state *state, uint32_t transition, bool last) {
    uint32_t count = state->order.count;
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
    struct rv_footprint footprint = {.thread = rv_order_number(&state->order, pending), .op = pending->next.op};
    rv_footprint_add(&footprint, &pending->next);
    return footprint;
}

static const struct rv_footprint *look_at(struct dpor_state *state, uint32_t transition, bool last,
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
static bool is_weak_initial(struct dpor_state *state, uint32_t number, uint32_t count, uint32_t *at) {
    struct rv_footprint buffer;
    const struct rv_footprint *transition = &state->nodes[number].footprint;
    for (uint32_t i = 0; i < count; i++) {
        const struct rv_footprint *other = look_at(state, state->sequence[i], state->announced && i + 1 == count, &buffer);
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
static void append_branch(struct dpor_state *state, uint32_t parent, uint32_t level, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        struct rv_footprint footprint = footprint_of(state, state->sequence[i], state->announced && i + 1 == count);
        uint32_t number = new_node(state, &footprint);
        if (!number) return;
        uint32_t *link = parent ? &state->nodes[parent].child : &state->levels[level].wakeup;
        while (*link) link = &state->nodes[*link].sibling;
        *link = number;
        parent = number;
    }
}

static void insert(struct dpor_state *state, uint32_t level, uint32_t count) {
    uint32_t parent = NO_NODE;
    for (;;) {
        uint32_t branch = parent ? state->nodes[parent].child : state->levels[level].wakeup;
        uint32_t at = count;
        while (branch && !is_weak_initial(state, branch, count, &at))
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

/* All that does not happen after the first one of the race, then the second one. */
static void reverse(struct dpor_state *state, const struct race *race) {
    struct rv_order *order = &state->order;
    uint32_t *larger =
        rv_grow(state->arena, state->sequence, &state->sequence_capacity, order->count + 1, sizeof *larger);
    if (!larger) {
        state->cut = true;
        return;
    }
    state->sequence = larger;
    uint32_t count = 0;
    for (uint32_t i = race->first + 1; i < order->count; i++)
        if (!rv_order_before(order, race->first, i) && !ended_execution(&order->transitions[i]))
            state->sequence[count++] = i;
    state->sequence[count++] = race->second;
    state->announced = true;
    uint32_t at;
    for (uint32_t i = state->levels[race->first].sleep, end = sleep_end(state, race->first); i < end; i++)
        if (is_weak_initial(state, state->asleep[i], count, &at)) return;
    insert(state, race->first, count);
}

/* ---- going back ---- */

/* Another choice for the transition of this level; false: all were made. */
static bool next_choice(struct dpor_state *state, uint32_t level) {
    const struct rv_transition *done = &state->order.transitions[level];
    const struct rv_footprint *footprint = &done->footprint;
    for (uint32_t k = footprint->choices; k-- > footprint->fixed;) {
        uint32_t after = awake_choice(state, level, footprint->thread, k, footprint->choice[k] + 1u);
        if (after >= footprint->choice_of[k]) continue;
        struct rv_footprint next = done->announced;
        next.fixed = footprint->fixed;
        next.choices = (uint8_t)(k + 1);
        memcpy(next.choice, footprint->choice, sizeof next.choice);
        next.choice[k] = (uint8_t)after;
        struct level *here = &state->levels[level];
        if (here->merged)
            rv_footprint_merge(&here->others, footprint);
        else
            here->others = *footprint;
        here->merged = true;
        uint32_t number = new_node(state, &next);
        if (!number) return false;
        state->nodes[number].sibling = here->wakeup;
        here->wakeup = number;
        return true;
    }
    return false;
}

/* If by now all choices of the transition sleep, all of it does. */
static void join_sleepers(struct dpor_state *state, uint32_t level, struct rv_footprint *all) {
    uint32_t count = 0;
    for (uint32_t i = state->levels[level].sleep; i < state->asleep_count; i++) {
        const struct rv_footprint *sleeper = &state->nodes[state->asleep[i]].footprint;
        if (sleeper->thread != all->thread || sleeper->fixed != 1) continue;
        rv_footprint_merge(all, sleeper);
        count++;
    }
    if (count < all->choice_of[0]) return;
    all->fixed = all->choices = 0;
    uint32_t number = new_node(state, all);
    if (number) add_asleep(state, number);
}

static void fall_asleep(struct dpor_state *state, uint32_t level) {
    struct rv_footprint footprint = state->order.transitions[level].footprint;
    if (state->levels[level].merged) rv_footprint_merge(&footprint, &state->levels[level].others);
    footprint.choices = footprint.fixed; /* all choices behind these were tried */
    uint32_t number = new_node(state, &footprint);
    if (number) add_asleep(state, number);
    if (footprint.fixed == 1) join_sleepers(state, level, &footprint);
}

/* What went to sleep at this level first, not further up, is forgotten with it. */
static void forget_sleep(struct dpor_state *state, uint32_t level) {
    uint32_t begin = state->levels[level].sleep;
    uint32_t above = level ? state->levels[level - 1].sleep : 0;
    for (uint32_t i = begin; i < state->asleep_count; i++) {
        bool inherited = false;
        for (uint32_t k = above; k < begin && !inherited; k++) inherited = state->asleep[k] == state->asleep[i];
        if (!inherited) free_node(state, state->asleep[i]);
    }
    state->asleep_count = begin;
}

/* To the deepest level with something left; false: there is none. */
static bool go_back(struct dpor_state *state) {
    /* The level behind the last transition has a sleep set, too, all of it inherited. */
    if (state->order.count < state->level_capacity && state->order.count)
        state->asleep_count = state->levels[state->order.count].sleep;
    while (state->order.count) {
        uint32_t level = state->order.count - 1;
        bool again = next_choice(state, level);
        if (!again) {
            fall_asleep(state, level);
            state->levels[level].merged = false;
        }
        rv_order_truncate(&state->order, level);
        state->recorded = level;
        if (state->levels[level].wakeup) {
            state->other_choice = again;
            return true;
        }
        forget_sleep(state, level);
    }
    state->recorded = 0;
    return false;
}

static void start_over(struct dpor_state *state) {
    forget_from(state, 0);
    state->asleep_count = 0;
    state->free_node = NO_NODE;
    state->node_count = 1;
    state->executions = 0;
    state->race_count = 0;
    state->other_choice = false;
    state->learned = state->mismatch = state->cut = false;
}

static bool dpor_end(void *opaque, const struct rv_strategy_end *outcome) {
    struct dpor_state *state = opaque;
    state->executions++;
    if (outcome->learned) state->learned = true;
    if (outcome->not_terminating || outcome->held_back) state->cut = true;
    if (state->order.open) dpor_unfinished(state, NULL, 0);
    if (state->depth < state->recorded) {
        state->mismatch = true;
        forget_from(state, state->depth);
    }
    if (state->mismatch && !state->learned) state->nondeterministic = true;
    if (state->learned && state->executions <= YOUNG) {
        start_over(state);
        return true;
    }
    for (uint32_t i = state->other_choice ? 0 : state->known_races; i < state->race_count; i++)
        reverse(state, &state->races[i]);
    state->other_choice = false;
    if (state->order.full) state->cut = true;
    if (go_back(state)) return true;
    if (!state->learned && !state->mismatch) {
        state->finished = true;
        return false;
    }
    start_over(state);
    return true;
}

static bool dpor_complete(const void *opaque) {
    const struct dpor_state *state = opaque;
    return state->finished && !state->cut && !state->nondeterministic;
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
};
