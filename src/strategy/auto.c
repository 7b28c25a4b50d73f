/* The default: a portfolio that is told nothing.
 *
 * No strategy is best for all bugs. Priorities (pct) hold a thread back for long and find what needs few ordering
 * constraints; pos and surw spread over partial orders and interleavings; rf asks for orders that have not been seen
 * and so is not lost among many threads; random walks with long runs fill queues; a search with few preemptions goes
 * through all the simple schedules of a medium-sized program; depth first search ends with a proof when the program
 * is small. So the budget is shared:
 *
 *   - Execution 0 is the default schedule, without preemptions (the first one of dfs). It teaches conflicts.
 *   - Then all but dfs take turns by a smooth weighted round robin: each gains its weight in credit every
 *     turn, the richest one runs and pays the sum of the weights. Weights move between base and base * (1 + GAIN)
 *     with the share of an arm's recent executions that brought new coverage. Nobody falls below the base:
 *     coverage is a hint about novelty, not about bugs, and ends long before the bugs do.
 *   - dfs gets every other execution for as long as it says that its tree fits into what it would get of the rest
 *     of the budget, and all of them when only a few are missing (but no more than a few, if that was not true). Its
 *     estimate is too low at first and gets better as it goes on, so it is asked again before every turn; once the
 *     tree is hopelessly large it never gets another turn.
 *
 *   - dpor takes part when the warm-up is over: of a program of medium size it sees all there is, up to equivalence, in a
 *     share of the budget.
 *
 * The campaign is complete when one of the three searches has finished the whole tree. What others learn about
 * conflicts in between changes that tree: it is handed to the search at the end of its next execution.
 *
 * The bases come from the corpus in tests/programs. Failures in 20,000 executions (seed 1) of its two deepest bugs
 * and two others, and the first failing execution of the bounded search:
 *
 *                   random random:0.2 random:0.05 pct:3 pct:5 pct:12  pos surw    rf   bounded
 *     aba_stack          0         25           6     9    28     43    5    0    27       525
 *     relay_depth       33         19           4    15    33     59   64   63    68     1,361
 *     pool_shutdown      0         28          15   202   307    254  492  109   573     2,046
 *     queue_if_wait  1,714        123          12    73   217    527 1203 1507 1,286     2,743
 *
 * Everything depends on the outcomes of this worker's executions only: the same seed gives the same campaign.
 * The samplers share the seed; no two executions have the same index, so their random streams are different.
 */
#include <assert.h>

#include "strategy/dfs.h"
#include "strategy/sample.h"

extern const struct rv_strategy rv_strategy_random, rv_strategy_pct, rv_strategy_pos, rv_strategy_surw,
    rv_strategy_rf, rv_strategy_dpor;

enum {
    DFS = 0,          /* the arm that takes no part in the round robin */
    DPOR,             /* begins when most conflicts are known */
    WARM_UP = 16,     /* executions before dfs is tried in earnest: the conflicts found by then stay */
    FEW = 64,         /* executions that dfs may do out of turn to come to its end */
    GAIN = 3,         /* see above */
    HORIZON = 100000, /* stands for an unknown budget when dfs is judged */
};

struct arm_kind {
    const struct rv_strategy *strategy;
    const char *params;
    uint32_t base;
};

/* clang-format off */
static const struct arm_kind kinds[] = {
    [DFS] = {&rv_strategy_dfs, NULL, 0},
    [DPOR] = {&rv_strategy_dpor, NULL, 2},
    {&rv_strategy_pct, "3", 2},
    {&rv_strategy_random, "0.2", 2},
    {&rv_strategy_pos, NULL, 3},
    {&rv_strategy_bounded, NULL, 5},
    {&rv_strategy_rf, NULL, 8},
    {&rv_strategy_pct, "12", 4},
    {&rv_strategy_surw, NULL, 3},
    {&rv_strategy_pct, "5", 2},
    {&rv_strategy_random, NULL, 2},
    {&rv_strategy_random, "0.05", 1},
};
/* clang-format on */
enum { ARMS = sizeof kinds / sizeof *kinds };

struct arm {
    void *state;
    int64_t credit;
    uint64_t learned; /* by others since it was last told; for searches */
    uint32_t novelty; /* 0..256: share of recent executions with new coverage */
    bool over;        /* gets no more turns */
};

struct auto_state {
    uint64_t budget;
    uint64_t executions;
    uint32_t out_of_turn; /* executions that dfs got because only a few were missing */
    uint32_t current;     /* arm of the execution under way */
    bool complete;
    struct rv_arena dpor_arena; /* it keeps whole executions: the others shall not run short */
    struct arm arms[ARMS];
};

static void *auto_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    struct auto_state *state = rv_arena_alloc(arena, sizeof *state);
    if (!state) return NULL;
    state->budget = config->budget;
    size_t quarter = (arena->size - arena->used) / 4 & ~(size_t)63;
    void *apart = rv_arena_alloc(arena, quarter);
    if (!apart) return NULL;
    rv_arena_init(&state->dpor_arena, apart, quarter);
    for (uint32_t i = 0; i < ARMS; i++) {
        struct rv_strategy_config own = *config;
        own.params = kinds[i].params;
        if (i == DPOR)
            own.worker = 0, own.workers = 1; /* undivided: a share each, and whoever ends has seen it all */
        state->arms[i].state = kinds[i].strategy->create(i == DPOR ? &state->dpor_arena : arena, &own);
        if (!state->arms[i].state) return NULL;
        state->arms[i].novelty = 256;
        state->arms[i].over = i == DPOR && config->hidden;
    }
    return state;
}

/* What dfs has left, or more than any budget. After the first execution of a tree something is left, or dfs would have
 * ended; if its estimate says nothing then the part done is too small for a double (a hundred threads, some
 * hundred decisions). */
static double dfs_left(const struct auto_state *state) {
    double left = rv_dfs_left(state->arms[DFS].state);
    return left <= 0 && rv_dfs_estimate(state->arms[DFS].state) <= 1 ? (double)UINT64_MAX * 4 : left;
}

/* Whether this execution is for dfs. */
static bool dfs_has_turn(struct auto_state *state) {
    if (state->arms[DFS].over) return false;
    if (state->executions == 0) return true;
    if (state->executions < WARM_UP) return false;
    uint64_t budget = state->budget == UINT64_MAX ? state->executions + HORIZON : state->budget;
    double rest = budget > state->executions ? (double)(budget - state->executions) : 1;
    double left = dfs_left(state);
    if (left > 2 * rest) {
        state->arms[DFS].over = true;
        return false;
    }
    if (left <= FEW && state->out_of_turn < FEW) {
        state->out_of_turn++;
        return true;
    }
    return left * 2 <= rest && state->executions % 2 == 0;
}

static uint32_t next_in_turn(struct auto_state *state) {
    int64_t sum = 0;
    uint32_t first = state->executions < WARM_UP ? DPOR + 1 : DPOR, richest = first;
    for (uint32_t i = first; i < ARMS; i++) {
        struct arm *arm = &state->arms[i];
        if (arm->over) continue;
        int64_t weight = (int64_t)kinds[i].base * (256 + GAIN * (int64_t)arm->novelty);
        arm->credit += weight;
        sum += weight;
        if (state->arms[richest].over || arm->credit > state->arms[richest].credit) richest = i;
    }
    state->arms[richest].credit -= sum;
    return richest;
}

static void auto_begin(void *opaque, uint64_t index) {
    struct auto_state *state = opaque;
    state->current = dfs_has_turn(state) ? DFS : next_in_turn(state);
    kinds[state->current].strategy->begin(state->arms[state->current].state, index);
}

static uint32_t auto_pick(void *opaque, const struct rv_point *point) {
    struct auto_state *state = opaque;
    return kinds[state->current].strategy->pick(state->arms[state->current].state, point);
}

static uint32_t auto_choose(void *opaque, uint32_t n) {
    struct auto_state *state = opaque;
    return kinds[state->current].strategy->choose(state->arms[state->current].state, n);
}

static void auto_observe(void *opaque, uint32_t thread, const struct rv_operation *done) {
    struct auto_state *state = opaque;
    const struct rv_strategy *strategy = kinds[state->current].strategy;
    if (strategy->observe) strategy->observe(state->arms[state->current].state, thread, done);
}

static const struct rv_strategy *auto_in_charge(const void *opaque) {
    return kinds[((const struct auto_state *)opaque)->current].strategy;
}

static void auto_unfinished(void *opaque, const struct rv_candidate *pending, uint32_t count) {
    struct auto_state *state = opaque;
    const struct rv_strategy *strategy = kinds[state->current].strategy;
    if (strategy->unfinished) strategy->unfinished(state->arms[state->current].state, pending, count);
}

static bool auto_end(void *opaque, const struct rv_strategy_end *outcome) {
    struct auto_state *state = opaque;
    struct arm *arm = &state->arms[state->current];
    const struct rv_strategy *strategy = kinds[state->current].strategy;
    struct rv_strategy_end told = *outcome;
    state->executions++;
    for (uint32_t i = 0; i < ARMS; i++) state->arms[i].learned += outcome->learned;
    told.learned = arm->learned;
    arm->learned = 0;
    arm->novelty = (arm->novelty * 15 + (outcome->new_coverage ? 256 : 0)) / 16;
    bool go_on = strategy->end(arm->state, &told);
    assert(go_on || strategy->exhaustive); /* samplers never end by themselves */
    state->complete = !go_on && rv_strategy_complete(strategy, arm->state);
    /* dfs is there for the proof; the others go on without a hope of one. */
    if (!go_on || (state->current == DFS && rv_dfs_hopeless(arm->state))) arm->over = true;
    return !state->complete;
}

static bool auto_complete(const void *opaque) {
    const struct auto_state *state = opaque;
    return state->complete;
}

const struct rv_strategy rv_strategy_auto = {
    .name = "auto",
    .parameter = "",
    .guarantee = "a mixture of the others that says so when it has seen every schedule (the default)",
    .check = rv_check_no_params,
    .create = auto_create,
    .begin = auto_begin,
    .in_charge = auto_in_charge,
    .pick = auto_pick,
    .choose = auto_choose,
    .observe = auto_observe,
    .unfinished = auto_unfinished,
    .end = auto_end,
    .complete = auto_complete,
};
