/* Exhaustive search, depth first, stateless.
 *
 * A stack of decisions (which of how many) is the whole memory. An execution follows the stack, then takes
 * the first alternative at every new decision; afterwards the deepest decision that has an alternative
 * left moves on to it and everything below is forgotten. The first alternative is the default policy's, so
 * the first execution has no preemption and the search begins near it. Time-outs and choose() are decisions
 * like others. A thread that yielded may go on: leaving that out would lose schedules, and the engine's
 * fairness ends loops.
 *
 * Complete means complete:
 *   - The tree depends on what is known to be in conflict. If anything was learned since its root, then
 *     after its end the search begins again from the root, until a whole tree has taught nothing. A
 *     tree that is still YOUNG is not finished first: the first executions of a campaign teach the most.
 *   - Each decision keeps its number of alternatives and a check sum of them. If an execution does not
 *     fit what was recorded, the branch is begun anew at that decision. With something learned this is
 *     expected; otherwise the program is nondeterministic and the search never calls itself complete.
 *   - An execution cut off at max_steps, or with more than MAX_DECISIONS, hides a part of the tree: the search ends
 *     when nothing is left but does not call itself complete.
 *
 * The bounded search is the same with few preemptions first (Musuvathi, Qadeer: Iterative Context Bounding for
 * Systematic Testing of Multithreaded Programs, PLDI 2007): a tree of the schedules without preemptions, then
 * one of those with up to one, and so on, until a bound leaves nothing out. Most bugs need one or two, and k points
 * allow about k^2 schedules with two where the whole tree has exponentially many. A preemption is any choice but to
 * go on of a thread that could have gone on. A time-out that comes early counts as one, too, and so does going
 * on after a yield: else loops that wait would give infinitely many schedules without a preemption.
 *
 * Several workers divide the tree without talking. The first SHARED_LEVELS decisions belong to all. At the
 * next ones the workers divide the alternatives among each other: with g workers at a decision and n >= g
 * alternatives, worker r takes r, r+g, r+2g ... and is alone from there on; with n < g the workers themselves
 * are divided among the alternatives and the rest is settled further down. Who is worker r depends on
 * the shared decisions above (rotation), which spreads big and small subtrees. Every schedule is then
 * explored by exactly one worker, except one that has fewer decisions than it takes to divide:
 * all workers that reach it run it, for none can know beforehand that it ends there.
 * The division is exact only between workers that know the same conflicts, for else their trees differ. What a
 * worker knows at its end is what its last tree was searched with. So whoever puts the workers' verdicts
 * together may call the search complete only if all of them are complete and have ended with the same knowledge.
 */
#include "strategy/dfs.h"

#include "strategy/replay.h"
#include "strategy/sample.h"

enum { SHARED_LEVELS = 1, YOUNG = 32, MAX_DECISIONS = 1 << 18 };
#define NO_BOUND UINT32_MAX

struct decision {
    uint32_t choice;
    uint32_t count;  /* alternatives */
    uint32_t stride; /* from one alternative of this worker to its next */
    uint32_t check;  /* sum over the alternatives, to notice that they are others */
};

struct dfs_state {
    struct rv_arena *arena;
    struct decision *stack;
    uint32_t capacity;
    uint32_t recorded; /* decisions on the stack that this execution must follow */
    uint32_t depth;    /* decisions taken in this execution */
    /* division */
    uint32_t worker, workers;
    uint32_t position; /* among the workers that share the subtree at this depth */
    uint32_t sharing;  /* how many these are */
    uint32_t prefix;   /* sum of the shared decisions */
    /* verdict */
    uint64_t executions;   /* since the root */
    bool learned;          /* since the root */
    bool mismatch;         /* since the root */
    bool cut;              /* since the root: a part of the tree was out of reach */
    bool nondeterministic; /* ever */
    bool finished;
    /* bounded search */
    uint32_t bound;       /* preemptions allowed in this tree; NO_BOUND: any number */
    uint32_t preemptions; /* in this execution */
    bool limited;         /* since the root: the bound has left something out */
};

static void *dfs_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    struct dfs_state *state = rv_arena_alloc(arena, sizeof *state);
    if (!state) return NULL;
    state->arena = arena;
    state->worker = config->worker;
    state->workers = config->workers ? config->workers : 1;
    state->bound = NO_BOUND;
    return state;
}

static void *bounded_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    struct dfs_state *state = dfs_create(arena, config);
    if (state) state->bound = 0;
    return state;
}

static void dfs_begin(void *opaque, uint64_t index) {
    (void)index;
    struct dfs_state *state = opaque;
    state->depth = 0;
    state->position = state->worker;
    state->sharing = state->workers;
    state->prefix = 0;
    state->preemptions = 0;
}

/* The first alternative of this worker at a decision that is not on the stack yet. */
static struct decision open_decision(const struct dfs_state *state, uint32_t count, uint32_t check) {
    struct decision decision = {.count = count, .stride = 1, .check = check};
    if (state->sharing == 1 || state->depth < SHARED_LEVELS) return decision;
    if (count >= state->sharing) {
        decision.choice = state->position;
        decision.stride = state->sharing;
    } else {
        decision.choice = state->position % count;
        decision.stride = count;
    }
    return decision;
}

/* Who shares what lies below this decision. */
static void descend(struct dfs_state *state, const struct decision *decision) {
    if (state->depth < SHARED_LEVELS) {
        state->prefix += decision->choice;
        if (state->depth + 1 == SHARED_LEVELS)
            state->position = (state->worker + state->prefix) % state->workers;
    } else if (decision->count >= state->sharing) {
        state->position = 0;
        state->sharing = 1;
    } else if (state->sharing > 1) {
        uint32_t others = state->sharing - decision->choice + decision->count - 1;
        state->position /= decision->count;
        state->sharing = others / decision->count;
    }
    state->depth++;
}

static uint32_t decide(struct dfs_state *state, uint32_t count, uint32_t check) {
    if (count == 1) return 0;
    if (state->depth < state->recorded) {
        struct decision *decision = &state->stack[state->depth];
        if (decision->count == count && decision->check == check) {
            descend(state, decision);
            return decision->choice;
        }
        state->mismatch = true;
        state->recorded = state->depth;
    }
    struct decision *larger = NULL;
    if (state->depth < MAX_DECISIONS)
        larger = rv_grow(state->arena, state->stack, &state->capacity, state->depth, sizeof *larger);
    if (!larger) {
        state->cut = true;
        return 0;
    }
    state->stack = larger;
    struct decision *decision = &state->stack[state->depth];
    *decision = open_decision(state, count, check);
    descend(state, decision);
    state->recorded = state->depth;
    return decision->choice;
}

/* What is free in a bounded search: to go on; where the thread cannot or has yielded, any other that goes on
 * normally; where there is none, what the default policy does. */
static bool is_free(const struct rv_point *point, uint32_t index, uint32_t first) {
    bool can_go_on = point->current_index >= 0 && !point->yielded;
    return index == first || (!can_go_on && rv_ordinary(point, index));
}

/* The n-th alternative: the default policy's first, the others in their order, without those that cost if
 * `free_only`. */
static uint32_t alternative(const struct rv_point *point, uint32_t n, uint32_t first, bool free_only) {
    if (n == 0) return first;
    for (uint32_t i = 0;; i++) {
        if (i == first || (free_only && !is_free(point, i, first))) continue;
        if (--n == 0) return i;
    }
}

static uint32_t dfs_pick(void *opaque, const struct rv_point *point) {
    struct dfs_state *state = opaque;
    bool free_only = state->preemptions >= state->bound;
    uint32_t first = rv_default_pick(point);
    uint32_t count = 0;
    uint32_t check = 1;
    for (uint32_t i = 0; i < point->count; i++) {
        const struct rv_candidate *candidate = &point->candidates[i];
        if (free_only && !is_free(point, i, first)) {
            state->limited = true;
            continue;
        }
        check = check * 31 + candidate->thread * 256 + candidate->next.op * 2u + candidate->timeout;
        check = check * 31 + (uint32_t)candidate->step;
        count++;
    }
    uint32_t index = alternative(point, decide(state, count, check), first, free_only);
    if (state->bound != NO_BOUND) state->preemptions += !is_free(point, index, first);
    return index;
}

static uint32_t dfs_choose(void *opaque, uint32_t n) { return decide(opaque, n, 0); }

/* Moves on to the next schedule of this tree; false: there is none. */
static bool advance(struct dfs_state *state) {
    while (state->depth) {
        struct decision *last = &state->stack[state->depth - 1];
        if (last->count - last->choice > last->stride) {
            last->choice += last->stride;
            state->recorded = state->depth;
            return true;
        }
        state->depth--;
    }
    state->recorded = 0;
    return false;
}

/* A new tree, from the root. */
static void start_over(struct dfs_state *state) {
    state->recorded = 0;
    state->depth = 0;
    state->executions = 0;
    state->learned = false;
    state->mismatch = false;
    state->cut = false;
    state->limited = false;
}

static bool dfs_end(void *opaque, const struct rv_strategy_end *outcome) {
    struct dfs_state *state = opaque;
    state->executions++;
    if (outcome->learned) state->learned = true;
    if (outcome->not_terminating || outcome->held_back) state->cut = true;
    if (state->depth < state->recorded) state->mismatch = true;
    if (state->mismatch && !state->learned) state->nondeterministic = true;
    bool more = advance(state);
    if (state->learned && state->executions <= YOUNG) {
        start_over(state);
        return true;
    }
    if (more) return true;
    if (!state->learned && !state->mismatch) {
        state->finished = true;
        return false;
    }
    /* A nondeterministic program: the same bound again would bring no more certainty. */
    if (!state->learned && state->bound != NO_BOUND) state->bound++;
    start_over(state);
    return true;
}

/* A tree that is over is followed by the next larger one, unless nothing was left out. */
static bool bounded_end(void *opaque, const struct rv_strategy_end *outcome) {
    struct dfs_state *state = opaque;
    if (dfs_end(state, outcome)) return true;
    if (!state->limited) return false;
    state->finished = false;
    state->bound++;
    start_over(state);
    return true;
}

static bool dfs_complete(const void *opaque) {
    const struct dfs_state *state = opaque;
    return state->finished && !state->cut && !state->nondeterministic && !state->limited;
}

/* Fraction of this worker's tree that lies before the next execution, if the subtrees of one decision are equal. */
static double fraction_done(const struct dfs_state *state) {
    double done = 0;
    double width = 1; /* of the subtree at this depth */
    for (uint32_t i = 0; i < state->recorded && width > 0; i++) {
        const struct decision *decision = &state->stack[i];
        uint32_t first = decision->choice % decision->stride;
        uint32_t own = (decision->count - first + decision->stride - 1) / decision->stride;
        uint32_t before = decision->choice / decision->stride; /* own alternatives that are done */
        width /= own;
        done += width * before;
    }
    return done;
}

double rv_dfs_estimate(const void *opaque) {
    const struct dfs_state *state = opaque;
    double done = fraction_done(state);
    if (state->finished || done <= 0) return state->executions ? (double)state->executions : 1;
    double estimate = (double)state->executions / done;
    return estimate < 1 ? 1 : estimate;
}

double rv_dfs_left(const void *opaque) {
    const struct dfs_state *state = opaque;
    return state->finished ? 0 : rv_dfs_estimate(opaque) - (double)state->executions;
}

bool rv_dfs_hopeless(const void *opaque) {
    const struct dfs_state *state = opaque;
    return state->nondeterministic || (state->cut && (state->finished || state->executions > YOUNG));
}

const struct rv_strategy rv_strategy_bounded = {
    .name = "bounded",
    .parameter = "",
    .guarantee = "every schedule, those with fewer preemptions first",
    .exhaustive = true,
    .internal = true,
    .check = rv_check_no_params,
    .create = bounded_create,
    .begin = dfs_begin,
    .pick = dfs_pick,
    .choose = dfs_choose,
    .end = bounded_end,
    .complete = dfs_complete,
};

const struct rv_strategy rv_strategy_dfs = {
    .name = "dfs",
    .parameter = "",
    .guarantee = "every schedule, once; says so when it has seen them all",
    .exhaustive = true,
    .check = rv_check_no_params,
    .create = dfs_create,
    .begin = dfs_begin,
    .pick = dfs_pick,
    .choose = dfs_choose,
    .end = dfs_end,
    .complete = dfs_complete,
};
