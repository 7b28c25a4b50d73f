/* Following a schedule.
 *
 * A cursor stands on one run. At each point the run under the cursor either applies (its thread can go on
 * and stands before `until`), or it is over (its thread stands at `until`, or it has begun and the thread
 * cannot go on: a run stops where its thread blocks), or it cannot be followed; in the last two cases the
 * cursor moves on. It never moves back, so an execution costs at most one look at each run, and a run
 * without progress cannot loop.
 *
 * Deviations are counted, never fatal: minimisation asks for schedules that do not exist exactly and looks
 * at what came of them. A run deviates
 *   - when its thread cannot go on as its turn comes,
 *   - when it should begin with a time-out and none is pending,
 *   - when its thread does not stand where that thread's last run should have left it. This is how a run
 *     that ended early is noticed: a blocked thread is no candidate and shows no step, but it shows it when
 *     it is back.
 */
#include "strategy/replay.h"

#include "strategy/sample.h"

struct replay_state {
    struct rv_arena *arena;
    struct rv_replay_input input;
    uint64_t cursor;  /* run under way */
    bool begun;       /* its thread has been picked at least once by it */
    uint64_t choices; /* answered */
    uint64_t deviations;
    uint64_t *left_at; /* by thread: 1 + where its last run should have left it; 0: not known */
    uint32_t left_capacity;
};

/* Both candidates of a thread. */
struct found {
    int64_t normal;
    int64_t timeout;
};

static struct found find(const struct rv_point *point, uint32_t thread) {
    struct found found = {-1, -1};
    if (point->current == thread && point->current_index >= 0) found.normal = point->current_index;
    for (uint32_t i = 0; i < point->count && found.normal < 0; i++) {
        if (point->candidates[i].thread != thread) continue;
        if (point->candidates[i].timeout)
            found.timeout = i;
        else
            found.normal = i;
    }
    for (uint32_t i = 0; i < point->count && found.normal >= 0 && found.timeout < 0; i++)
        if (point->candidates[i].thread == thread && point->candidates[i].timeout) found.timeout = i;
    return found;
}

uint32_t rv_default_pick(const struct rv_point *point) {
    if (point->current_index >= 0 && !point->yielded) return (uint32_t)point->current_index;
    int64_t lowest = -1, lowest_timeout = -1;
    int64_t after = -1, after_timeout = -1; /* the first beyond the current thread: waiting goes round */
    for (uint32_t i = 0; i < point->count; i++) {
        const struct rv_candidate *candidate = &point->candidates[i];
        int64_t *first = candidate->timeout ? &lowest_timeout : &lowest;
        int64_t *beyond = candidate->timeout ? &after_timeout : &after;
        if (candidate->thread == point->current && !candidate->timeout) continue;
        if (*first < 0) *first = i;
        if (*beyond < 0 && candidate->thread > point->current) *beyond = i;
    }
    if (point->yielded && after >= 0) return (uint32_t)after;
    if (lowest >= 0) return (uint32_t)lowest;
    if (point->current_index >= 0) return (uint32_t)point->current_index;
    return (uint32_t)(after_timeout >= 0 ? after_timeout : lowest_timeout);
}

static void *replay_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    (void)config;
    struct replay_state *state = rv_arena_alloc(arena, sizeof *state);
    if (state) state->arena = arena;
    return state;
}

void rv_replay_set(void *opaque, const struct rv_replay_input *input) {
    struct replay_state *state = opaque;
    state->input = *input;
}

static void replay_begin(void *opaque, uint64_t index) {
    (void)index;
    struct replay_state *state = opaque;
    state->cursor = 0;
    state->begun = false;
    state->choices = 0;
    state->deviations = 0;
    for (uint32_t i = 0; i < state->left_capacity; i++) state->left_at[i] = 0;
}

static void next_run(struct replay_state *state) {
    const struct rv_run *run = &state->input.runs[state->cursor++];
    state->begun = false;
    uint64_t *larger =
        rv_grow(state->arena, state->left_at, &state->left_capacity, run->thread, sizeof *larger);
    if (larger) {
        state->left_at = larger;
        state->left_at[run->thread] = run->until + 1; /* "to the end" becomes 0: nothing to compare */
    }
}

/* The run applies now, by this candidate; count what is not as it should be when a run begins. */
static uint32_t follow(struct replay_state *state, const struct rv_point *point, const struct rv_run *run,
                       struct found found) {
    bool expire = !state->begun && (run->flags & RV_RUN_TIMEOUT);
    int64_t index = expire && found.timeout >= 0 ? found.timeout : found.normal;
    if (!state->begun) {
        bool known = run->thread < state->left_capacity && state->left_at[run->thread];
        bool elsewhere = known && state->left_at[run->thread] != point->candidates[index].step + 1;
        if (elsewhere || (expire && found.timeout < 0)) state->deviations++;
        state->begun = true;
    }
    return (uint32_t)index;
}

static uint32_t replay_pick(void *opaque, const struct rv_point *point) {
    struct replay_state *state = opaque;
    while (state->cursor < state->input.run_count) {
        const struct rv_run *run = &state->input.runs[state->cursor];
        struct found found = find(point, run->thread);
        bool expire = !state->begun && (run->flags & RV_RUN_TIMEOUT);
        int64_t usable = found.normal >= 0 ? found.normal : expire ? found.timeout : -1;
        if (usable >= 0 && point->candidates[usable].step < run->until)
            return follow(state, point, run, found);
        if (usable < 0 && !state->begun) state->deviations++;
        next_run(state);
    }
    return rv_default_pick(point);
}

uint64_t rv_replay_stop_at(void *opaque, uint32_t thread) {
    struct replay_state *state = opaque;
    if (state->cursor >= state->input.run_count) return UINT64_MAX;
    const struct rv_run *run = &state->input.runs[state->cursor];
    return run->thread == thread ? run->until : UINT64_MAX;
}

uint64_t rv_replay_deviations(const void *opaque) {
    const struct replay_state *state = opaque;
    return state->deviations;
}

static uint32_t replay_choose(void *opaque, uint32_t n) {
    struct replay_state *state = opaque;
    if (state->choices >= state->input.choice_count) return 0;
    uint32_t answer = state->input.choices[state->choices++];
    if (answer < n) return answer;
    state->deviations++;
    return 0;
}

/* One schedule is one execution; the engine sets the next one and begins again if it has one. */
static bool replay_end(void *opaque, const struct rv_strategy_end *outcome) {
    (void)opaque;
    (void)outcome;
    return false;
}

const struct rv_strategy rv_strategy_replay = {
    .name = "replay",
    .parameter = "",
    .guarantee = "follows a recorded schedule exactly",
    .internal = true,
    .sees_all_points = true,
    .check = rv_check_no_params,
    .create = replay_create,
    .begin = replay_begin,
    .pick = replay_pick,
    .choose = replay_choose,
    .end = replay_end,
};
