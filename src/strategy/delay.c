/* Delay bounding (Emmi, Qadeer, Rakamaric: Delay-Bounded Scheduling, POPL 2011).
 *
 * A deterministic scheduler asks the threads in turn, and a schedule costs what it takes to make that scheduler
 * produce it: one delay for each choice of the scheduler that is skipped. All schedules with no delay (there is one,
 * but for choose(), which is free), then with up to one, and so on up to the bound. With k points and d delays these
 * are at most about k^d, however many threads there are, where preemption bounding leaves open which of the threads goes on
 * after each preemption and each time that one waits.
 *
 * The round at a point, in the order in which the scheduler would choose:
 *   1. the current thread, if it can go on and has not yielded
 *   2. the others that can go on normally, in cyclic order of their numbers from the current thread's on
 *   3. the current thread, if it has yielded and can go on
 *   4. time-outs, in the same cyclic order, the current thread's last
 * Taking the n-th of these (from 0) costs n. In the paper a delayed thread is skipped for the rest of the round;
 * here, too: the round goes on from the thread that was taken. A thread with a timed wait that can also go on normally has
 * two places in the round. Points that only one thing can follow cost nothing.
 * The default policy (replay.h) differs in 2: where a thread waits it takes the lowest number. A round is fairer,
 * and is what the paper has.
 */
#include <assert.h>

#include "strategy/search_stack.h"

static const char *delay_check(const char *params) {
    uint32_t bound;
    return rv_search_bound(params, &bound) ? NULL : "a number of delays from 0 to 1000000, such as delay:2";
}

static void *delay_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    struct rv_search *search = rv_search_new(arena, config);
    if (!search) return NULL;
    search->bound = 0;
    rv_search_bound(config->params, &search->last);
    return search;
}

/* The n-th candidate of the round. */
static uint32_t in_round(const struct rv_point *point, uint32_t n) {
    assert(n < point->count);
    int64_t goes_on = point->yielded ? -1 : point->current_index;
    if (goes_on >= 0 && n-- == 0) return (uint32_t)goes_on;
    uint32_t after = 0; /* the first candidate beyond the current thread, where the circle begins */
    while (after < point->count && point->candidates[after].thread <= point->current) after++;
    for (uint32_t i = 0; i < 2 * point->count; i++) {
        uint32_t index = (after + i) % point->count;
        bool timeouts = i >= point->count; /* the second time round */
        if (point->candidates[index].timeout != timeouts || index == goes_on) continue;
        if (n-- == 0) return index;
    }
    return point->count; /* not reached */
}

static uint32_t delay_pick(void *opaque, const struct rv_point *point) {
    struct rv_search *search = opaque;
    assert(search->spent <= search->bound);
    uint32_t count = point->count;
    uint32_t affordable = search->bound - search->spent;
    if (count - 1 > affordable) {
        count = affordable + 1;
        search->limited = true;
    }
    uint32_t delays = rv_search_pick(search, point, count);
    search->spent += delays;
    return in_round(point, delays);
}

const struct rv_strategy rv_strategy_delay = {
    .name = "delay",
    .parameter = "[:bound]",
    .guarantee =
        "every schedule with at most so many delays (default 2) of a round robin, those with fewer first",
    .check = delay_check,
    .create = delay_create,
    .begin = rv_search_begin,
    .pick = delay_pick,
    .choose = rv_search_choose,
    .end = rv_search_end,
    .complete = rv_search_complete,
    .progress = rv_search_progress,
    .division = &rv_search_division,
};
