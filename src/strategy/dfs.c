/* Exhaustive search, depth first (search_stack.c).
 *
 * The first alternative is the default policy's, so the first execution has no preemption and the search begins
 * near it. Time-outs and choose() are decisions like others. A thread that yielded may go on: leaving that out
 * would lose schedules, and the engine's fairness ends loops.
 */
#include "strategy/dfs.h"

#include "strategy/replay.h"
#include "strategy/sample.h"
#include "strategy/search_stack.h"

static void *dfs_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    return rv_search_new(arena, config);
}

static uint32_t dfs_pick(void *search, const struct rv_point *point) {
    uint32_t first = rv_default_pick(point);
    uint32_t n = rv_search_pick(search, point, point->count);
    if (n == 0) return first;
    return n <= first ? n - 1 : n;
}

double rv_dfs_estimate(const void *state) {
    const struct rv_search *search = state;
    double done = rv_search_fraction(search);
    if (search->finished || done <= 0) return search->executions ? (double)search->executions : 1;
    double estimate = (double)search->executions / done;
    return estimate < 1 ? 1 : estimate;
}

double rv_dfs_left(const void *state) {
    const struct rv_search *search = state;
    return search->finished ? 0 : rv_dfs_estimate(state) - (double)search->executions;
}

bool rv_dfs_hopeless(const void *state) {
    const struct rv_search *search = state;
    return search->nondeterministic ||
           (search->cut && (search->finished || search->executions > RV_SEARCH_YOUNG));
}

const struct rv_strategy rv_strategy_dfs = {
    .name = "dfs",
    .parameter = "",
    .guarantee = "every schedule, once; says so when it has seen them all",
    .exhaustive = true,
    .check = rv_check_no_params,
    .create = dfs_create,
    .begin = rv_search_begin,
    .pick = dfs_pick,
    .choose = rv_search_choose,
    .end = rv_search_end,
    .complete = rv_search_complete,
    .progress = rv_search_progress,
    .division = &rv_search_division,
};
