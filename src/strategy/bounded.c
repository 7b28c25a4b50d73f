/* Few preemptions first (Musuvathi, Qadeer: Iterative Context Bounding for Systematic Testing of Multithreaded
 * Programs, PLDI 2007).
 *
 * A tree of the schedules that cost nothing, then one of those that cost up to one, and so on: `pcb` up to its bound,
 * `bounded`, which is a part of auto, until a bound leaves nothing out. Most bugs need one or two preemptions, and k points
 * allow about k^2 schedules with two where the whole tree has exponentially many.
 *
 * pcb counts preemptions: the current thread could have gone on normally, had not yielded, and another thread was
 * taken. All else is free: who follows a thread that waits or has ended, time-outs at such a moment, a thread's own
 * time-out, going on after a yield, choose(). So pcb:k executes exactly those schedules of dfs with at most k
 * preemptions, each of them again in the tree of each larger bound (search_stack.h says why).
 * What it knows of conflicts it has learned within the bound, and that is enough: an access that was in conflict in
 * none of these schedules may as well happen before the switch in front of it, which then comes at the thread's next
 * point and costs no more there.
 *
 * bounded wants the simple schedules soon and counts every disturbance. At each point one of these is free:
 *   - the current thread can go on and has not yielded: that it goes on normally;
 *   - else, if other threads can go on normally: any of these;
 *   - else: what the default policy does (rv_default_pick).
 * Loops that wait and time-outs would give very many schedules without a disturbance otherwise.
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

/* Whether taking this candidate costs. Never true of the default policy's choice. */
typedef bool costs_function(const struct rv_point *point, uint32_t index);

static bool is_preemption(const struct rv_point *point, uint32_t index) {
    bool can_go_on = point->current_index >= 0 && !point->yielded;
    return can_go_on && point->candidates[index].thread != point->current;
}

static bool is_disturbance(const struct rv_point *point, uint32_t index) {
    bool can_go_on = point->current_index >= 0 && !point->yielded;
    return index != rv_default_pick(point) && (can_go_on || !rv_ordinary(point, index));
}

/* The n-th alternative: the default policy's first, the others in their order, without those that cost if
 * `free_only`. */
static uint32_t alternative(const struct rv_point *point, uint32_t n, costs_function *costs, bool free_only) {
    uint32_t first = rv_default_pick(point);
    if (n == 0) return first;
    for (uint32_t i = 0;; i++) {
        if (i == first || (free_only && costs(point, i))) continue;
        if (--n == 0) return i;
    }
}

static uint32_t pick(struct rv_search *search, const struct rv_point *point, costs_function *costs) {
    bool free_only = search->spent >= search->bound;
    uint32_t count = 0;
    for (uint32_t i = 0; i < point->count; i++) count += !free_only || !costs(point, i);
    if (count < point->count) search->limited = true;
    uint32_t index = alternative(point, rv_search_pick(search, point, count), costs, free_only);
    search->spent += costs(point, index);
    return index;
}

static uint32_t bounded_pick(void *search, const struct rv_point *point) {
    return pick(search, point, is_disturbance);
}

static uint32_t pcb_pick(void *search, const struct rv_point *point) {
    return pick(search, point, is_preemption);
}

const struct rv_strategy rv_strategy_bounded = {
    .name = "bounded",
    .parameter = "",
    .guarantee = "every schedule, those with fewer disturbances first",
    .exhaustive = true,
    .internal = true,
    .check = rv_check_no_params,
    .create = bounded_create,
    .begin = rv_search_begin,
    .pick = bounded_pick,
    .choose = rv_search_choose,
    .end = rv_search_end,
    .complete = rv_search_complete,
    .progress = rv_search_progress,
    .division = &rv_search_division,
};

const struct rv_strategy rv_strategy_pcb = {
    .name = "pcb",
    .parameter = "[:bound]",
    .guarantee = "every schedule with at most so many preemptions (default 2), those with fewer first",
    .check = pcb_check,
    .create = pcb_create,
    .begin = rv_search_begin,
    .pick = pcb_pick,
    .choose = rv_search_choose,
    .end = rv_search_end,
    .complete = rv_search_complete,
    .progress = rv_search_progress,
    .division = &rv_search_division,
};
