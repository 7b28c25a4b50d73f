/* Few preemptions first (Musuvathi, Qadeer: Iterative Context Bounding for Systematic Testing of Multithreaded
 * Programs, PLDI 2007).
 *
 * A tree of the schedules without preemptions, then one of those with up to one, and so on: `pcb` up to its bound,
 * `bounded`, which is a part of auto, until a bound leaves nothing out. Most bugs need one or two, and k points allow
 * about k^2 schedules with two where the whole tree has exponentially many.
 *
 * A preemption is counted at each point where
 *   - the current thread can go on and has not yielded, and anything else happens than that it goes on normally;
 *   - it cannot go on or has yielded, another thread can go on normally, and what happens is a time-out or that
 *     the current thread goes on;
 *   - no other thread can go on normally, and what happens is not what the default policy does (rv_default_pick).
 * The first is the usual definition. The others go further: without them loops that wait would give infinitely many schedules
 * without a preemption, and every time-out would be tried at every moment. choose() is free.
 * pcb:k executes exactly those schedules of dfs that have at most k of these, each of them again in the tree of each larger
 * bound (search_stack.h says why).
 */
#include "strategy/dfs.h"
#include "strategy/replay.h"
#include "strategy/sample.h"
#include "strategy/search_stack.h"

static void *bounded_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    struct rv_search *search = rv_search_new(arena, config);
    if (search) search->bound = 0;
    return search;
}

static const char *pcb_check(const char *params) {
    uint32_t bound;
    return rv_search_bound(params, &bound) ? NULL
                                           : "a number of preemptions from 0 to 1000000, such as pcb:2";
}

static void *pcb_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    struct rv_search *search = bounded_create(arena, config);
    if (search) rv_search_bound(config->params, &search->last);
    return search;
}

/* What is no preemption. `first` is the default policy's choice. */
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

static uint32_t bounded_pick(void *opaque, const struct rv_point *point) {
    struct rv_search *search = opaque;
    bool free_only = search->spent >= search->bound;
    uint32_t first = rv_default_pick(point);
    uint32_t count = 0;
    for (uint32_t i = 0; i < point->count; i++) count += !free_only || is_free(point, i, first);
    if (count < point->count) search->limited = true;
    uint32_t index = alternative(point, rv_search_pick(search, point, count), first, free_only);
    search->spent += !is_free(point, index, first);
    return index;
}

const struct rv_strategy rv_strategy_bounded = {
    .name = "bounded",
    .parameter = "",
    .guarantee = "every schedule, those with fewer preemptions first",
    .exhaustive = true,
    .internal = true,
    .check = rv_check_no_params,
    .create = bounded_create,
    .begin = rv_search_begin,
    .pick = bounded_pick,
    .choose = rv_search_choose,
    .end = rv_search_end,
    .complete = rv_search_complete,
};

const struct rv_strategy rv_strategy_pcb = {
    .name = "pcb",
    .parameter = "[:bound]",
    .guarantee = "every schedule with at most so many preemptions (default 2), those with fewer first",
    .check = pcb_check,
    .create = pcb_create,
    .begin = rv_search_begin,
    .pick = bounded_pick,
    .choose = rv_search_choose,
    .end = rv_search_end,
    .complete = rv_search_complete,
};
