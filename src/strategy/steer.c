/* Who goes on, where threads are held back: see steer.h.
 *
 * Among those that are not held, the walk is random. A held thread is let go
 *
 *   when nobody else can go on           | it may hold a lock that the others need. Of several the one that was let go last
 *                                        | goes again: it passes all its accesses while the others stay where they are
 *   after a while in which others only   | they may wait for it. A thread that spins cannot see anything new, a sleep
 *   spin, yield, or let time run out     | can be part of a loop that waits
 *   mostly instead of the process's end  | what they would have done would not be seen
 *   after `limit` picks                  | others may go on for ever
 *
 * The first try holds everything everywhere. If that fails, standing still may have been in the way: others gave up, or
 * met the wrong element of an array. So later tries differ: they pass over some occasions to hold a thread, hold one of the
 * two sides only, let threads run by priorities so that one gets far ahead, and mostly hold only at objects that were seen
 * from both sides in the tries before.
 */
#include "strategy/steer.h"

#include "strategy/rules.h"

enum {
    BOTH_SIDES = 3,
    LONGEST_LIMIT = 1 << 14, /* picks; executions are cut off at 100,000 by default */
    FIRST_PATIENCE = 128,
    SPIN_WEIGHT = 8 /* looking on while others spin wears patience out faster */
};
#define UNIFORM_ODDS \
    RV_ODDS(1, 16) /* with priorities: that any thread goes on all the same, or some never would */
#define KNOWN_ODDS \
    RV_ODDS(3, 4) /* of holding only at known objects; the others may be new in each execution */
#define LATE_ODDS     RV_TIMEOUT_ODDS /* of what is not FREE while something is */
#define SPINNING_ODDS RV_ODDS(1, 8) /* of what spins while something is LATE: the loop may count its rounds */
#define END_ODDS      RV_ODDS(1, 4) /* of the end of the execution while threads are held: it must come some day */

/* How much is liked that a candidate goes on: least first. LATE: time-outs, who has yielded, the end of the execution. */
enum rank { HELD, STAGED, SPINNING, LATE, FREE, RANKS };

struct ranking {
    uint32_t count[RANKS];
};

static const char *steer_check(const char *params) {
    struct rv_steer_aim aim;
    if (rv_steer_parse(params, &aim)) return NULL;
    return "race,A,B or lock,H-W,H-W with up to four pairs, where each is a code location in hexadecimal";
}

static void *steer_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    struct rv_steer *steer = rv_arena_alloc(arena, sizeof *steer);
    if (!steer) return NULL;
    if (!rv_steer_parse(config->params, &steer->aim)) steer->aim = (struct rv_steer_aim){.count = 1};
    steer->arena = arena;
    steer->seed = config->seed;
    return steer;
}

/* ---- how a try is made ---- */

static void first_plan(struct rv_steer *steer) {
    steer->limit = LONGEST_LIMIT;
    steer->skip = 0;
    steer->order = 0;
    steer->extreme = 0;
    steer->patience = FIRST_PATIENCE;
    steer->sides = BOTH_SIDES;
    steer->known_only = false;
    steer->staging = true;
}

static uint64_t occasions_to_skip(struct rv_steer *steer) {
    uint64_t magnitudes = 1;
    while (steer->most_occasions >> magnitudes) magnitudes++;
    return 1 + rv_rng_below(&steer->rng, UINT64_C(1) << rv_rng_below(&steer->rng, magnitudes));
}

/* If one side of a race never came about, holding the other was in its way: it is better held later, or not at all. */
static void plan_for_missing(struct rv_steer *steer, uint8_t missing) {
    if (rv_rng_below(&steer->rng, 4))
        steer->skip = occasions_to_skip(steer);
    else
        steer->sides = missing;
}

static void plan_holding(struct rv_steer *steer) {
    uint8_t missing = BOTH_SIDES & ~steer->sides_seen;
    uint64_t kind = rv_rng_below(&steer->rng, 4);
    if (kind == 0)
        steer->skip = occasions_to_skip(steer);
    else if (steer->aim.locks)
        steer->staging = kind != 1;
    else if (missing)
        plan_for_missing(steer, missing);
    else if (kind < BOTH_SIDES)
        steer->sides = (uint8_t)kind;
}

/* The first that came to its place may have kept the others from theirs: it comes last, or (if only it came) first. */
static void plan_order(struct rv_steer *steer) {
    if (!rv_rng_below(&steer->rng, 3)) return;
    steer->order = rv_rng_next(&steer->rng) | 1;
    if (rv_rng_below(&steer->rng, 2)) steer->extreme = steer->first;
    steer->extreme_is_last = steer->aim.locks || steer->sides_seen == BOTH_SIDES;
}

static void later_plan(struct rv_steer *steer) {
    struct rv_rng *rng = &steer->rng;
    bool second = steer->generation == 2;
    first_plan(steer);
    steer->known_only = steer->known && (second || rv_chance(rng, KNOWN_ODDS));
    if (steer->known_only && second) return;
    steer->limit >>= rv_rng_below(rng, 5);
    steer->patience = 8u << rv_rng_below(rng, 7);
    plan_holding(steer);
    plan_order(steer);
}

static void steer_begin(void *opaque, uint64_t index) {
    struct rv_steer *steer = opaque;
    steer->rng = rv_rng_stream(steer->seed, index);
    if (steer->occasions > steer->most_occasions) steer->most_occasions = steer->occasions;
    steer->picks = 0;
    steer->occasions = 0;
    steer->idle = 0;
    steer->runner = RV_NO_THREAD;
    steer->over = false;
    steer->hold_count = 0;
    if (steer->generation++)
        later_plan(steer);
    else
        first_plan(steer);
    steer->first = 0;
}

/* ---- threads ---- */

struct rv_steer_thread *rv_steer_thread(struct rv_steer *steer, uint32_t thread) {
    if (thread >= steer->capacity) {
        void *larger =
            rv_grow(steer->arena, steer->threads, &steer->capacity, thread, sizeof *steer->threads);
        if (!larger) return NULL;
        steer->threads = larger;
    }
    struct rv_steer_thread *entry = &steer->threads[thread];
    if (entry->generation != steer->generation)
        *entry = (struct rv_steer_thread){.generation = steer->generation};
    return entry;
}

bool rv_steer_holds(struct rv_steer *steer, const struct rv_candidate *candidate) {
    struct rv_steer_thread *entry = rv_steer_thread(steer, candidate->thread);
    if (!entry || candidate->timeout || entry->held != candidate->step + 1) return false;
    return !steer->over && steer->picks - entry->since <= steer->limit;
}

bool rv_steer_hold(struct rv_steer *steer, const struct rv_candidate *candidate) {
    struct rv_steer_thread *entry = rv_steer_thread(steer, candidate->thread);
    if (!entry || steer->over) return false;
    if (!steer->first) steer->first = UINT64_C(1) + candidate->lineage;
    if (++steer->occasions <= steer->skip) return false;
    entry->held = candidate->step + 1;
    entry->since = steer->picks;
    return true;
}

void rv_steer_let_go(struct rv_steer *steer, const struct rv_candidate *candidate) {
    struct rv_steer_thread *entry = rv_steer_thread(steer, candidate->thread);
    if (entry) entry->held = 0;
}

/* ---- who goes on ---- */

/* Looks at each thread once in each step that it can go on with. A thread that waits for a lock comes to it when the lock
 * is free, which need not be when it ran last. */
static int64_t arrivals(struct rv_steer *steer, const struct rv_point *point) {
    int64_t next = -1;
    for (uint32_t i = 0; i < point->count && next < 0; i++) {
        const struct rv_candidate *candidate = &point->candidates[i];
        struct rv_steer_thread *entry = rv_steer_thread(steer, candidate->thread);
        if (!entry || candidate->timeout || entry->seen == candidate->step + 1) continue;
        entry->seen = candidate->step + 1;
        if (steer->aim.locks)
            rv_steer_lock_arrive(steer, point, i);
        else
            next = rv_steer_race_arrive(steer, point, i);
    }
    return next;
}

static enum rank rank_of(struct rv_steer *steer, const struct rv_point *point, uint32_t index) {
    const struct rv_candidate *candidate = &point->candidates[index];
    if (rv_steer_holds(steer, candidate)) return steer->threads[candidate->thread].staged ? STAGED : HELD;
    if (candidate->spinning) return SPINNING;
    return rv_ordinary(point, index) && !rv_ends_execution(&candidate->next) ? FREE : LATE;
}

static uint32_t any_of(struct rv_steer *steer, const struct rv_point *point, const struct ranking *ranking,
                       enum rank rank) {
    uint64_t n = rv_rng_below(&steer->rng, ranking->count[rank]);
    uint32_t i = 0;
    while (rank_of(steer, point, i) != rank || n--) i++;
    return i;
}

static uint64_t priority_of(const struct rv_steer *steer, uint32_t lineage) {
    if (steer->extreme == UINT64_C(1) + lineage) return steer->extreme_is_last ? 1 : UINT64_MAX;
    struct rv_rng rng = rv_rng_stream(steer->order, lineage);
    return rv_rng_next(&rng) | 2;
}

/* Of those that nothing speaks against. */
static uint32_t any_free(struct rv_steer *steer, const struct rv_point *point,
                         const struct ranking *ranking) {
    if (!steer->order || rv_chance(&steer->rng, UNIFORM_ODDS)) return any_of(steer, point, ranking, FREE);
    uint64_t highest = 0;
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < point->count; i++) {
        uint64_t priority = priority_of(steer, point->candidates[i].lineage);
        if (priority <= highest || rank_of(steer, point, i) != FREE) continue;
        highest = priority;
        chosen = i;
    }
    return chosen;
}

/* The one that runs already goes on running; in a cycle of locks first those that do not hold anything yet. */
static uint32_t let_one_go(struct rv_steer *steer, const struct rv_point *point,
                           const struct ranking *ranking) {
    enum rank rank = ranking->count[STAGED] ? STAGED : HELD;
    uint32_t chosen = any_of(steer, point, ranking, rank);
    for (uint32_t i = 0; i < point->count; i++)
        if (point->candidates[i].thread == steer->runner && rank_of(steer, point, i) == rank) chosen = i;
    steer->idle = 0;
    steer->runner = point->candidates[chosen].thread;
    rv_steer_let_go(steer, &point->candidates[chosen]);
    return chosen;
}

/* Nobody can go on but those that are held, that wait in loops, or that would end the execution. */
static uint32_t without_progress(struct rv_steer *steer, const struct rv_point *point,
                                 const struct ranking *ranking) {
    uint32_t held = ranking->count[HELD] + ranking->count[STAGED];
    enum rank rank = ranking->count[LATE] ? LATE : SPINNING;
    if (rank == LATE && ranking->count[SPINNING] && rv_chance(&steer->rng, SPINNING_ODDS)) rank = SPINNING;
    if (!held) return any_of(steer, point, ranking, rank);
    steer->idle += rank == SPINNING ? SPIN_WEIGHT : 1;
    if (!ranking->count[rank] || steer->idle > steer->patience) return let_one_go(steer, point, ranking);
    uint32_t chosen = any_of(steer, point, ranking, rank);
    if (rv_ends_execution(&point->candidates[chosen].next) && !rv_chance(&steer->rng, END_ODDS))
        return let_one_go(steer, point, ranking);
    return chosen;
}

static uint32_t steer_pick(void *opaque, const struct rv_point *point) {
    struct rv_steer *steer = opaque;
    struct ranking ranking = {0};
    steer->picks++;
    int64_t next = arrivals(steer, point);
    if (next >= 0) return (uint32_t)next;
    for (uint32_t i = 0; i < point->count; i++) ranking.count[rank_of(steer, point, i)]++;
    if (!ranking.count[FREE]) return without_progress(steer, point, &ranking);
    if (ranking.count[LATE] && rv_chance(&steer->rng, LATE_ODDS)) return any_of(steer, point, &ranking, LATE);
    steer->idle = 0;
    return any_free(steer, point, &ranking);
}

static uint32_t steer_choose(void *opaque, uint32_t n) {
    struct rv_steer *steer = opaque;
    return rv_sample_choose(&steer->rng, n);
}

static void steer_observe(void *opaque, uint32_t thread, const struct rv_operation *done) {
    struct rv_steer *steer = opaque;
    if (!done->object) return;
    if (steer->aim.locks)
        rv_steer_lock_done(steer, thread, done);
    else
        rv_steer_race_done(steer, thread, done);
}

static bool steer_end(void *opaque, const struct rv_strategy_end *outcome) {
    (void)opaque;
    (void)outcome;
    return true;
}

const struct rv_strategy rv_strategy_steer = {
    .name = "steer",
    .parameter = ":race,A,B or :lock,H-W,H-W...",
    .guarantee = "brings threads together at given statements, where it can",
    .internal = true,
    .sees_spinning = true,
    .check = steer_check,
    .create = steer_create,
    .begin = steer_begin,
    .pick = steer_pick,
    .choose = steer_choose,
    .observe = steer_observe,
    .end = steer_end,
};
