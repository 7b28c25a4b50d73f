/* Flanagan and Godefroid's dynamic partial order reduction (POPL 2005), as the HaPSet paper compares with it, and the search
 * guided by HaPSets on top of it (Wang, Said, Gupta: Coverage Guided Systematic Concurrency Testing, ICSE 2011).
 *
 * The stack has a level for each transition of the execution under way, with the threads that could have gone on there: which
 * of them have been tried (done) and which are to be (backtrack). At each new state, for each thread t that can go on:
 *   s_d = the latest state whose transition is dependent with t's next one, could have come after it, and does not
 *         happen before it; guided: and the guide does not leave it out (guide.h)
 *   backtrack of s_d += t itself if it could go on there; else a thread that has done something since that happens before
 *         t's next one; else all
 * Guided by bounding (guide=pcb:k) it adds all threads whose choice keeps the number of preemptions at k or less.
 *
 * There are no sleep sets and nothing is optimal: this is what others are measured by. dpor-classic is sound; the guided
 * search is not, and never calls itself complete.
 */
#include <string.h>

#include "strategy/guide.h"
#include "strategy/replay.h"
#include "strategy/rules.h"
#include "strategy/sample.h"
#include "strategy/search_stack.h"

struct option { /* a thread that could go on at a level */
    uint32_t thread;
    bool done, backtrack;
    bool preempts;
    struct rv_goal goal; /* guided: what it is in the backtrack set for */
};

struct level {
    uint32_t first, end;  /* its options */
    uint32_t preemptions; /* before */
};

struct classic_state;

/* Whose latest dependent transition is looked for. */
struct request {
    struct classic_state *state;
    const struct rv_candidate *candidate; /* NULL: the last transition */
    uint32_t thread;
    uint64_t step;
    struct rv_guide_mark mark;
};

struct classic_state {
    struct rv_arena *arena;
    bool guided;
    struct rv_guide guide;
    struct rv_order order;
    struct rv_rng rng;
    struct level *levels;
    uint32_t level_capacity;
    struct option *options;
    uint32_t option_capacity, option_count;
    uint32_t recorded, depth;
    uint32_t turn;                            /* thread that begins at level `recorded`, + 1; 0: any */
    uint8_t prescribed[RV_FOOTPRINT_CHOICES]; /* choices of the transition under way */
    uint32_t forced, choice;
    bool again; /* the transition at level `recorded` is done again, with other choices: */
    uint8_t other[RV_FOOTPRINT_CHOICES];
    uint32_t other_count;
    uint64_t index, executions, total;
    bool learning; /* a random execution */
    bool learned, mismatch, cut, nondeterministic, finished;
};

static struct classic_state *create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    struct classic_state *state = rv_arena_alloc(arena, sizeof *state);
    if (!state) return NULL;
    state->arena = arena;
    state->rng = rv_rng_stream(config->seed, config->worker);
    state->guide.settings.bound = RV_NO_BOUND;
    rv_order_init(&state->order, arena);
    return state;
}

static void *classic_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    return create(arena, config);
}

static const char *hapset_check(const char *params) {
    struct rv_guide_settings settings;
    if (rv_guide_parse(params, &settings)) return NULL;
    return "expected [CALLS][,learn=N][,guide=pcb:K][,rounds=R] with up to 8 calls of the stack and 5 rounds, such as "
           "hapset:5";
}

static void *hapset_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    struct classic_state *state = create(arena, config);
    struct rv_guide_settings settings;
    if (!state || !rv_guide_parse(config->params, &settings)) return NULL;
    state->guided = true;
    rv_guide_init(&state->guide, arena, &settings);
    if (config->saved) (void)rv_hapset_load(&state->guide.sets, config->saved, config->saved_size);
    return state;
}

static uint32_t hapset_stack_depth(const void *opaque) {
    return ((const struct classic_state *)opaque)->guide.settings.stack_depth;
}

static size_t hapset_save(const void *opaque, void *buffer, size_t room) {
    return rv_hapset_save(&((const struct classic_state *)opaque)->guide.sets, buffer, room);
}

static void classic_begin(void *opaque, uint64_t index) {
    struct classic_state *state = opaque;
    state->learning = state->total < state->guide.settings.learn;
    if (state->learning) state->recorded = 0;
    state->index = index;
    state->depth = 0;
    state->choice = state->forced = 0;
    rv_order_truncate(&state->order, state->recorded);
    state->option_count = state->turn ? state->levels[state->recorded].end : 0;
}

/* ---- backtracking ---- */

static struct option *option_of(struct classic_state *state, uint32_t level, uint32_t thread) {
    for (uint32_t i = state->levels[level].first; i < state->levels[level].end; i++)
        if (state->options[i].thread == thread) return &state->options[i];
    return NULL;
}

static void add_affordable(struct classic_state *state, uint32_t level) {
    for (uint32_t i = state->levels[level].first; i < state->levels[level].end; i++)
        if (state->levels[level].preemptions + state->options[i].preempts <= state->guide.settings.bound)
            state->options[i].backtrack = true;
}

static bool before_it(const struct request *request, uint32_t transition) {
    struct rv_order *order = &request->state->order;
    if (request->candidate) return rv_order_before_next(order, transition, request->candidate);
    return rv_order_before_own(order, transition, order->count - 1);
}

/* A thread that has done something since that happens before it. */
static struct option *option_before(const struct request *request, uint32_t level) {
    struct classic_state *state = request->state;
    for (uint32_t i = level + 1; i < state->order.count; i++) {
        if (!before_it(request, i)) continue;
        struct option *option = option_of(state, level, state->order.transitions[i].footprint.thread);
        if (option) return option;
    }
    return NULL;
}

static void add_option(struct classic_state *state, struct option *option, const struct rv_goal *goal) {
    if (!option->backtrack || (state->guided && !rv_guide_wants(&state->guide, &option->goal)))
        option->goal = *goal;
    option->backtrack = true;
}

static void backtrack_at(const struct request *request, uint32_t level) {
    struct classic_state *state = request->state;
    if (state->guide.settings.bound != RV_NO_BOUND) {
        add_affordable(state, level);
        return;
    }
    struct rv_goal goal = {0};
    if (state->guided)
        goal = rv_guide_goal(&state->guide, state->order.transitions[level].footprint.thread, level,
                             request->thread, request->step, &request->mark);
    struct option *option = option_of(state, level, request->thread);
    if (!option) option = option_before(request, level);
    if (option) {
        add_option(state, option, &goal);
        return;
    }
    for (uint32_t i = state->levels[level].first; i < state->levels[level].end; i++)
        add_option(state, &state->options[i], &goal);
}

static bool accept(void *opaque, uint32_t transition, bool certain) {
    const struct request *request = opaque;
    struct classic_state *state = request->state;
    if (state->guided && rv_guide_leaves_out(&state->guide, transition, &request->mark)) return false;
    if (!certain) backtrack_at(request, transition);
    return true;
}

static void add_backtrack(struct classic_state *state, const struct rv_candidate *candidate) {
    if (candidate->next.op == RV_OP_NONE) return;
    struct request request = {.state = state,
                              .candidate = candidate,
                              .thread = rv_order_number(&state->order, candidate),
                              .step = candidate->step};
    if (state->guided) request.mark = rv_guide_mark(&state->guide, &state->order, candidate);
    uint32_t latest = rv_order_latest(&state->order, candidate, accept, &request);
    if (latest) backtrack_at(&request, latest - 1);
}

/* A transition may have done more than was announced. */
static void add_backtrack_of_last(struct classic_state *state) {
    uint32_t last = state->order.count - 1;
    const struct rv_transition *done = &state->order.transitions[last];
    if (done->footprint.count == done->announced.count && done->footprint.global == done->announced.global)
        return;
    struct request request = {.state = state, .thread = done->footprint.thread, .step = done->step};
    if (state->guided) request.mark = state->guide.marks[last];
    uint32_t latest = rv_order_latest_done(&state->order, last, accept, &request);
    if (latest) backtrack_at(&request, latest - 1);
}

/* ---- one transition after the other ---- */

static void close_transition(struct classic_state *state) {
    if (!state->order.open) return;
    rv_order_close(&state->order, NULL);
    if (!state->learning && state->order.count) add_backtrack_of_last(state);
    if (state->guided) rv_guide_learn(&state->guide, &state->order, state->order.count - 1, state->index);
}

static bool open_level(struct classic_state *state, const struct rv_point *point) {
    struct level *levels =
        rv_grow(state->arena, state->levels, &state->level_capacity, state->depth + 1, sizeof *levels);
    if (!levels) return false;
    state->levels = levels;
    levels[state->depth].first = state->option_count;
    for (uint32_t i = 0; i < point->count; i++) {
        if (rv_liking(point, i) == RV_LIKE_NOT) continue;
        struct option *options = rv_grow(state->arena, state->options, &state->option_capacity,
                                         state->option_count, sizeof *options);
        if (!options) return false;
        state->options = options;
        bool preempts =
            point->current_index >= 0 && !point->yielded && point->candidates[i].thread != point->current;
        options[state->option_count++] = (struct option){
            .thread = rv_order_number(&state->order, &point->candidates[i]), .preempts = preempts};
    }
    levels[state->depth].end = state->option_count;
    if (state->depth == 0) levels[0].preemptions = 0;
    return true;
}

static int64_t candidate_of(struct classic_state *state, const struct rv_point *point, uint32_t thread) {
    for (uint32_t i = 0; i < point->count; i++)
        if (rv_order_number(&state->order, &point->candidates[i]) == thread) return i;
    return -1;
}

static uint32_t pick_freely(struct classic_state *state, const struct rv_point *point) {
    uint32_t chosen = rv_default_pick(point);
    enum rv_liking best = rv_liking(point, chosen);
    if (state->learning && best == RV_LIKE) {
        chosen = (uint32_t)rv_rng_below(&state->rng, point->count);
        best = rv_liking(point, chosen);
    }
    if (state->guided) chosen = rv_guide_pick(&state->guide, &state->order, point, chosen);
    best = rv_liking(point, chosen);
    for (uint32_t i = 0; i < point->count; i++) {
        enum rv_liking this = rv_liking(point, i);
        if (this <= best) continue;
        best = this;
        chosen = i;
    }
    if (best == RV_LIKE_END) /* whoever ends it: a branch each */
        for (uint32_t i = state->levels[state->depth].first; i < state->option_count; i++)
            state->options[i].backtrack = true;
    return chosen;
}

static uint32_t give_up(struct classic_state *state, const struct rv_point *point) {
    state->cut = true;
    state->order.open = false;
    return rv_default_pick(point);
}

static void forget_from(struct classic_state *state, uint32_t level) {
    rv_order_truncate(&state->order, level);
    state->recorded = level;
    state->turn = 0;
    rv_guide_aim(&state->guide, NULL);
    state->again = false;
    state->option_count = level ? state->levels[level - 1].end : 0;
}

/* A state as it was before; -1: this is not it. */
static int64_t repeat(struct classic_state *state, const struct rv_point *point) {
    const struct rv_transition *then = &state->order.transitions[state->depth];
    int64_t index = candidate_of(state, point, then->footprint.thread);
    if (index < 0 || point->candidates[index].step != then->step ||
        point->candidates[index].next.op != then->footprint.op) {
        state->mismatch = true;
        forget_from(state, state->depth);
        return -1;
    }
    state->forced = then->footprint.choices;
    memcpy(state->prescribed, then->footprint.choice, sizeof state->prescribed);
    state->choice = 0;
    state->depth++;
    return index;
}

/* The first new state of this execution: its options are known, one of them has its turn. */
static int64_t take_turn(struct classic_state *state, const struct rv_point *point) {
    int64_t index = candidate_of(state, point, state->turn - 1);
    state->turn = 0;
    if (index < 0) {
        state->mismatch = true;
        forget_from(state, state->depth);
        return -1;
    }
    return index;
}

static uint32_t go_on_with(struct classic_state *state, const struct rv_point *point, uint32_t index) {
    const struct rv_candidate *candidate = &point->candidates[index];
    struct rv_guide_mark mark = {0};
    if (state->guided) mark = rv_guide_mark(&state->guide, &state->order, candidate);
    if (!rv_order_open(&state->order, candidate)) return give_up(state, point);
    if (state->guided) rv_guide_begin(&state->guide, state->depth, &mark);
    struct option *option = option_of(state, state->depth, rv_order_number(&state->order, candidate));
    if (option) option->done = option->backtrack = true;
    state->levels[state->depth + 1].preemptions =
        state->levels[state->depth].preemptions + (option && option->preempts);
    state->depth++;
    state->choice = 0;
    state->forced = state->again ? state->other_count : 0;
    if (state->again) memcpy(state->prescribed, state->other, sizeof state->prescribed);
    state->again = false;
    return index;
}

static uint32_t classic_pick(void *opaque, const struct rv_point *point) {
    struct classic_state *state = opaque;
    int64_t index = -1;
    if (state->depth < state->recorded && (index = repeat(state, point)) >= 0) return (uint32_t)index;
    if (state->order.full) return give_up(state, point);
    close_transition(state);
    rv_order_threads(&state->order, point);
    if (state->turn) index = take_turn(state, point);
    if (index >= 0) return go_on_with(state, point, (uint32_t)index);
    if (!open_level(state, point)) return give_up(state, point);
    if (!state->learning)
        for (uint32_t i = 0; i < point->count; i++) add_backtrack(state, &point->candidates[i]);
    return go_on_with(state, point, pick_freely(state, point));
}

static uint32_t classic_choose(void *opaque, uint32_t n) {
    struct classic_state *state = opaque;
    uint32_t at = state->choice++;
    bool nobodys = state->depth == 0; /* before the first transition */
    if (nobodys || at >= RV_FOOTPRINT_CHOICES || n > 255) {
        state->cut = true;
        return 0;
    }
    uint32_t answer = at < state->forced ? state->prescribed[at] : 0;
    if (answer >= n) answer = 0;
    if (state->order.open) {
        struct rv_footprint *footprint = &state->order.transitions[state->order.count - 1].footprint;
        footprint->choice[at] = (uint8_t)answer;
        footprint->choice_of[at] = (uint8_t)n;
        footprint->choices = (uint8_t)(at + 1);
    }
    return answer;
}

static void classic_observe(void *opaque, uint32_t thread, const struct rv_operation *done) {
    (void)thread;
    rv_order_observe(&((struct classic_state *)opaque)->order, done);
}

static void classic_unfinished(void *opaque, const struct rv_candidate *pending, uint32_t count) {
    struct classic_state *state = opaque;
    close_transition(state);
    if (state->learning || state->order.full) return;
    for (uint32_t i = 0; i < count; i++) add_backtrack(state, &pending[i]);
}

/* ---- going back ---- */

/* Another choice for the last transition. */
static bool next_choice(struct classic_state *state) {
    const struct rv_footprint *footprint = &state->order.transitions[state->order.count - 1].footprint;
    for (uint32_t k = footprint->choices; k-- > 0;) {
        if (footprint->choice[k] + 1 >= footprint->choice_of[k]) continue;
        memcpy(state->other, footprint->choice, sizeof state->other);
        state->other[k]++;
        state->other_count = k + 1;
        state->turn = footprint->thread + 1;
        rv_guide_aim(&state->guide, NULL);
        return true;
    }
    return false;
}

static bool go_back(struct classic_state *state) {
    while (state->order.count) {
        uint32_t level = state->order.count - 1;
        bool again = next_choice(state);
        rv_order_truncate(&state->order, level);
        state->recorded = level;
        state->again = again;
        if (again) return true;
        for (uint32_t i = state->levels[level].first; i < state->levels[level].end; i++) {
            const struct option *option = &state->options[i];
            if (!option->backtrack || option->done) continue;
            if (option->goal.first && !rv_guide_wants(&state->guide, &option->goal)) {
                state->guide.pruned++; /* it came of itself meanwhile */
                continue;
            }
            state->turn = option->thread + 1;
            if (state->guided) rv_guide_aim(&state->guide, &option->goal);
            return true;
        }
    }
    state->recorded = 0;
    return false;
}

static void start_over(struct classic_state *state) {
    forget_from(state, 0);
    state->executions = 0;
    state->learned = state->mismatch = state->cut = false;
}

static bool classic_end(void *opaque, const struct rv_strategy_end *outcome) {
    struct classic_state *state = opaque;
    state->total++;
    state->executions++;
    if (outcome->learned) state->learned = true;
    if (outcome->not_terminating || outcome->held_back || state->order.full) state->cut = true;
    close_transition(state);
    if (state->depth < state->recorded) {
        state->mismatch = true;
        forget_from(state, state->depth);
    }
    if (state->mismatch && !state->learned) state->nondeterministic = true;
    if (state->learning || (state->learned && state->executions <= RV_SEARCH_YOUNG)) {
        start_over(state);
        return true;
    }
    if (go_back(state)) return true;
    bool again = state->learned || state->mismatch || (state->guided && rv_guide_next_round(&state->guide));
    if (again)
        start_over(state);
    else
        state->finished = true;
    return again;
}

static bool classic_complete(const void *opaque) {
    const struct classic_state *state = opaque;
    return state->finished && !state->guided && !state->cut && !state->nondeterministic;
}

/* What is in a backtrack set and not done, if the options of a level are equal; sets grow. */
static void classic_progress(const void *opaque, struct rv_search_progress *progress) {
    const struct classic_state *state = opaque;
    double width = 1, left = 0;
    for (uint32_t level = 0; level <= state->recorded && level < state->level_capacity; level++) {
        uint32_t done = 0, waiting = 0;
        for (uint32_t i = state->levels[level].first; i < state->levels[level].end; i++) {
            done += state->options[i].done;
            waiting += state->options[i].backtrack && !state->options[i].done;
        }
        if (done + waiting == 0) continue;
        width /= done + waiting;
        left += width * waiting;
    }
    *progress = (struct rv_search_progress){.left = state->finished ? 0 : left,
                                            .executions = state->executions,
                                            .pruned = state->guide.pruned,
                                            .depth = state->recorded,
                                            .grows = true};
}

const struct rv_strategy rv_strategy_classic = {
    .name = "dpor-classic",
    .parameter = "",
    .guarantee =
        "the first of these searches (2005), for comparison: schedules of each kind, some more than once",
    .exhaustive = true,
    .undivided = true,
    .sees_all_points = true,
    .names_objects = true,
    .check = rv_check_no_params,
    .create = classic_create,
    .begin = classic_begin,
    .pick = classic_pick,
    .choose = classic_choose,
    .observe = classic_observe,
    .unfinished = classic_unfinished,
    .end = classic_end,
    .complete = classic_complete,
    .progress = classic_progress,
};

const struct rv_strategy rv_strategy_hapset = {
    .name = "hapset",
    .parameter = "[:calls]",
    .guarantee =
        "dpor-classic without orders of two statements seen before; no guarantee, far fewer schedules",
    .exhaustive = true,
    .undivided = true,
    .sees_all_points = true,
    .names_objects = true,
    .check = hapset_check,
    .create = hapset_create,
    .stack_depth = hapset_stack_depth,
    .begin = classic_begin,
    .pick = classic_pick,
    .choose = classic_choose,
    .observe = classic_observe,
    .unfinished = classic_unfinished,
    .end = classic_end,
    .complete = classic_complete,
    .progress = classic_progress,
    .save = hapset_save,
};
