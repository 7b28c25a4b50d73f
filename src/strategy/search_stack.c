/* Depth first, stateless.
 *
 * A stack of decisions (which of how many) is the whole memory. An execution follows the stack, then takes
 * the first alternative at every new decision; afterwards the deepest decision that has an alternative
 * left moves on to it and everything below is forgotten.
 *
 * Complete means complete:
 *   - The tree depends on what is known to be in conflict. If anything was learned since its root, then
 *     after its end the search begins again from the root, until a whole tree has taught nothing. A
 *     tree that is still young is not finished first: the first executions of a campaign teach the most.
 *   - Each decision keeps its number of alternatives and a check sum of the candidates. If an execution does not
 *     fit what was recorded, the branch is begun anew at that decision. With something learned this is
 *     expected; otherwise the program is nondeterministic and the search never calls itself complete.
 *   - An execution cut off at max_steps, or with more than MAX_DECISIONS, hides a part of the tree: the search ends
 *     when nothing is left but does not call itself complete. Nor does one whose last bound left something out.
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
 * Each worker goes through the bounds by itself. One that stops early, because a bound left nothing out, has in its last
 * tree what it would have in all larger ones, so that the parts fit together all the same.
 */
#include "strategy/search_stack.h"

#include "strategy/part.h"
#include "strategy/sample.h"

enum { SHARED_LEVELS = 1, MAX_DECISIONS = 1 << 18 };

struct rv_decision {
    uint32_t choice;
    uint32_t count;  /* alternatives */
    uint32_t stride; /* from one alternative of this worker to its next */
    uint32_t check;  /* sum over the candidates, to notice that they are others */
};

struct rv_search *rv_search_new(struct rv_arena *arena, const struct rv_strategy_config *config) {
    struct rv_search *search = rv_arena_alloc(arena, sizeof *search);
    if (!search) return NULL;
    search->arena = arena;
    search->worker = config->worker;
    search->workers = config->workers ? config->workers : 1;
    search->bound = RV_NO_BOUND;
    search->last = RV_NO_BOUND;
    return search;
}

bool rv_search_bound(const char *params, uint32_t *bound) {
    uint64_t number = RV_DEFAULT_BOUND;
    if (params && !rv_parse_number(params, 0, RV_MAX_BOUND, &number)) return false;
    *bound = (uint32_t)number;
    return true;
}

void rv_search_begin(void *opaque, uint64_t index) {
    (void)index;
    struct rv_search *search = opaque;
    search->depth = 0;
    search->position = search->worker;
    search->sharing = search->workers;
    search->prefix = 0;
    search->spent = 0;
}

/* The first alternative of this worker at a decision that is not on the stack yet. */
static struct rv_decision open_decision(const struct rv_search *search, uint32_t count, uint32_t check) {
    struct rv_decision decision = {.count = count, .stride = 1, .check = check};
    if (search->sharing == 1 || search->depth < SHARED_LEVELS) return decision;
    if (count >= search->sharing) {
        decision.choice = search->position;
        decision.stride = search->sharing;
    } else {
        decision.choice = search->position % count;
        decision.stride = count;
    }
    return decision;
}

/* Who shares what lies below this decision. */
static void descend(struct rv_search *search, const struct rv_decision *decision) {
    if (search->depth < SHARED_LEVELS) {
        search->prefix += decision->choice;
        if (search->depth + 1 == SHARED_LEVELS)
            search->position = (search->worker + search->prefix) % search->workers;
    } else if (decision->count >= search->sharing) {
        search->position = 0;
        search->sharing = 1;
    } else if (search->sharing > 1) {
        uint32_t others = search->sharing - decision->choice + decision->count - 1;
        search->position /= decision->count;
        search->sharing = others / decision->count;
    }
    search->depth++;
}

static uint32_t decide(struct rv_search *search, uint32_t count, uint32_t check) {
    if (count == 1) return 0;
    if (search->depth < search->recorded) {
        struct rv_decision *decision = &search->stack[search->depth];
        if (decision->count == count && decision->check == check) {
            descend(search, decision);
            return decision->choice;
        }
        search->mismatch = true;
        search->recorded = search->depth;
    }
    struct rv_decision *larger = NULL;
    if (search->depth < MAX_DECISIONS)
        larger = rv_grow(search->arena, search->stack, &search->capacity, search->depth, sizeof *larger);
    if (!larger) {
        search->cut = true;
        return 0;
    }
    search->stack = larger;
    struct rv_decision *decision = &search->stack[search->depth];
    *decision = open_decision(search, count, check);
    descend(search, decision);
    search->recorded = search->depth;
    return decision->choice;
}

uint32_t rv_search_pick(struct rv_search *search, const struct rv_point *point, uint32_t count) {
    uint32_t check = 1;
    if (search->depth >= search->recorded) search->pruned += point->count - count; /* not seen before */
    for (uint32_t i = 0; i < point->count; i++) {
        const struct rv_candidate *candidate = &point->candidates[i];
        check = check * 31 + candidate->thread * 256 + candidate->next.op * 2u + candidate->timeout;
        check = check * 31 + (uint32_t)candidate->step;
    }
    return decide(search, count, check);
}

uint32_t rv_search_choose(void *search, uint32_t n) { return decide(search, n, 0); }

/* Moves on to the next schedule of this tree; false: there is none. */
static bool advance(struct rv_search *search) {
    while (search->depth) {
        struct rv_decision *last = &search->stack[search->depth - 1];
        if (last->count - last->choice > last->stride) {
            last->choice += last->stride;
            search->recorded = search->depth;
            return true;
        }
        search->depth--;
    }
    search->recorded = 0;
    return false;
}

/* A new tree, from the root. */
static void start_over(struct rv_search *search) {
    search->recorded = 0;
    search->depth = 0;
    search->executions = 0;
    search->learned = false;
    search->mismatch = false;
    search->cut = false;
    search->limited = false;
    search->pruned = 0;
}

/* What follows a tree that has been searched to its end; false: nothing. */
static bool next_tree(struct rv_search *search) {
    if (!search->learned) {
        /* A nondeterministic program: the same bound again would bring no more certainty. */
        bool missing = search->mismatch || search->limited;
        bool unbounded = search->bound == RV_NO_BOUND;
        if (!missing || (!unbounded && search->bound >= search->last)) return false;
        if (!unbounded) search->bound++;
    }
    start_over(search);
    return true;
}

bool rv_search_end(void *opaque, const struct rv_strategy_end *outcome) {
    struct rv_search *search = opaque;
    search->executions++;
    if (outcome->learned) search->learned = true;
    if (outcome->not_terminating || outcome->held_back) search->cut = true;
    if (search->depth < search->recorded) search->mismatch = true;
    if (search->mismatch && !search->learned) search->nondeterministic = true;
    bool more = advance(search);
    if (search->learned && search->executions <= RV_SEARCH_YOUNG) {
        start_over(search);
        return true;
    }
    if (more || next_tree(search)) return true;
    search->finished = true;
    return false;
}

bool rv_search_complete(const void *opaque) {
    const struct rv_search *search = opaque;
    return search->finished && !search->cut && !search->nondeterministic && !search->limited;
}

double rv_search_fraction(const struct rv_search *search) {
    double done = 0;
    double width = 1; /* of the subtree at this depth */
    for (uint32_t i = 0; i < search->recorded && width > 0; i++) {
        const struct rv_decision *decision = &search->stack[i];
        uint32_t first = decision->choice % decision->stride;
        uint32_t own = (decision->count - first + decision->stride - 1) / decision->stride;
        uint32_t before = decision->choice / decision->stride; /* own alternatives that are done */
        width /= own;
        done += width * before;
    }
    return done;
}

void rv_search_progress(const void *opaque, struct rv_search_progress *progress) {
    const struct rv_search *search = opaque;
    *progress = (struct rv_search_progress){.left = search->finished ? 0 : 1 - rv_search_fraction(search),
                                            .executions = search->executions,
                                            .pruned = search->pruned,
                                            .depth = search->recorded};
}

/* ---- as data (part.h); not divided by parts, so only saved and carried on ---- */

static size_t freeze(const void *opaque, void *buffer, size_t room) {
    const struct rv_search *search = opaque;
    struct rv_part_writer to;
    struct rv_part header = {
        .kind = RV_PART_STACK,
        .flags = (search->learned ? RV_PART_LEARNED : 0u) | (search->mismatch ? RV_PART_MISMATCH : 0u) |
                 (search->cut ? RV_PART_CUT : 0u) | (search->limited ? RV_PART_LIMITED : 0u) |
                 (search->nondeterministic ? RV_PART_NONDETERMINISTIC : 0u),
        .strategy = RV_PART_SEARCH,
        .left = 1 - rv_search_fraction(search)};
    rv_part_begin(&to, buffer, room, &header);
    rv_part_put32(&to, search->worker);
    rv_part_put32(&to, search->workers);
    rv_part_put32(&to, search->bound);
    rv_part_put32(&to, search->last);
    rv_part_put64(&to, search->executions);
    rv_part_put64(&to, search->pruned);
    rv_part_put32(&to, search->recorded);
    for (uint32_t i = 0; i < search->recorded; i++) {
        rv_part_put32(&to, search->stack[i].choice);
        rv_part_put32(&to, search->stack[i].count);
        rv_part_put32(&to, search->stack[i].stride);
        rv_part_put32(&to, search->stack[i].check);
    }
    return rv_part_end(&to);
}

static bool read_stack(struct rv_search *search, struct rv_part_reader *from) {
    uint32_t count = rv_part_get_most(from, MAX_DECISIONS);
    for (uint32_t i = 0; i < count && !from->bad; i++) {
        struct rv_decision *larger =
            rv_grow(search->arena, search->stack, &search->capacity, i, sizeof *larger);
        if (!larger) return false;
        search->stack = larger;
        struct rv_decision *decision = &search->stack[i];
        decision->choice = rv_part_get32(from);
        decision->count = rv_part_get32(from);
        decision->stride = rv_part_get32(from);
        decision->check = rv_part_get32(from);
        if (decision->choice >= decision->count || !decision->stride) return false;
    }
    search->recorded = count;
    return rv_part_done(from);
}

static bool take(void *opaque, uint32_t tree, const void *data, size_t size) {
    struct rv_search *search = opaque;
    struct rv_part_reader from;
    struct rv_part header;
    (void)tree;
    if (!data || !rv_part_open(&from, data, size, &header)) return false;
    bool good = header.strategy == RV_PART_SEARCH && header.kind == RV_PART_STACK;
    good &= rv_part_get32(&from) == search->worker;
    good &= rv_part_get32(&from) == search->workers;
    uint32_t bound = rv_part_get32(&from);
    good &= rv_part_get32(&from) == search->last;
    good &= search->bound == RV_NO_BOUND ? bound == RV_NO_BOUND : bound <= search->last;
    uint64_t executions = rv_part_get64(&from), pruned = rv_part_get64(&from);
    if (!good || !read_stack(search, &from)) {
        search->recorded = 0;
        search->cut = true;
        return false;
    }
    search->bound = bound;
    search->executions = executions;
    search->pruned = pruned;
    search->learned = header.flags & RV_PART_LEARNED;
    search->mismatch = header.flags & RV_PART_MISMATCH;
    search->cut = header.flags & RV_PART_CUT;
    search->limited = header.flags & RV_PART_LIMITED;
    search->nondeterministic = header.flags & RV_PART_NONDETERMINISTIC;
    return true;
}

const struct rv_division rv_search_division = {.freeze = freeze, .take = take};
