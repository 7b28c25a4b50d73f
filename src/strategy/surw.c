/* The selectively uniform random walk.
 *
 * Zhao, Wolff, Mathur, Roychoudhury: Selectively Uniform Concurrency Testing, ASPLOS 2025. A random walk that gives
 * every thread the same chance at every step is far from uniform over interleavings: a thread with one event beside
 * one with a hundred has almost always done it within the first few steps. If instead a thread is picked with a
 * chance proportional to the events it still has to do, every interleaving has the same chance: after a
 * prefix, the number of ways to go on that begin with thread t is proportional to what t has left. A
 * thread that will create others counts their events as its own until they exist (the interleavings of a spawn tree
 * are counted like that); a creation moves the child's part to the child.
 *
 * Uniform over everything is uniform over mostly irrelevant things, so the walk is selective: only the order of some
 * interesting events is sampled uniformly. The thread that is to do the next interesting event is drawn beforehand, by
 * what each has left. Until it has done it, every other thread may go on up to its next interesting event and is
 * held back there; among those not held back the walk is plainly random. If the drawn thread cannot go on, another is
 * drawn. So no schedule is excluded.
 *
 * What the paper leaves to its user, and how it is done here:
 *   - What is interesting? Sites whose operations conflict are united into groups, each about one shared thing
 *     (a variable and its readers and writers, a mutex and its lockers). An execution takes one group at random,
 *     or, in ALL_ODDS of the executions, all of them.
 *   - How many are left? Counted by lineage and site in the executions so far, an average that follows changes by
 *     a quarter. The first execution knows nothing and is a plain random walk. An execution that was cut short
 *     (failure, max_steps) can only raise the counts.
 * Deviations: the usual biases for time-outs and yields (sample.h) come first. Counts are estimates, locks hold threads
 * up: uniformity is exact where counts do not depend on the schedule and nothing blocks. Conflicts are
 * noticed only against the last operation on the same address, in a table of OBJECTS entries that forgets.
 */
#include <assert.h>

#include "strategy/index.h"
#include "strategy/sample.h"

enum {
    ONE = 16, /* weights and averages count sixteenths of events */
    OBJECTS = 1024,
    MAX_SITES = 1 << 14,
    MAX_LINEAGES = 1 << 13,
    MAX_COUNTS = 1 << 17,
};
#define ALL_ODDS RV_ODDS(1, 4)

struct surw_site {
    uint32_t parent; /* 1 + the next one towards the root of its group; 0: it is the root */
    bool conflict;   /* has met a conflicting operation of another thread */
    bool chosen;     /* interesting in this execution */
};

/* Of one lineage at one site. */
struct surw_count {
    uint32_t lineage;
    uint32_t site;
    uint32_t seen;    /* events in this execution */
    uint32_t average; /* sixteenths of events per execution */
};

struct surw_lineage {
    uint32_t parent; /* 1 + number of the creator's lineage, which is lower than its own; 0: not known */
    uint64_t weight; /* expected interesting events of this execution, descendants' included */
};

struct surw_thread {
    uint32_t generation; /* execution in which this entry was set: others are stale */
    uint32_t lineage;    /* 1 + number; 0: not met yet */
    uint32_t creator;    /* 1 + thread; 0: not known */
    uint64_t weight;     /* interesting events left, those of children not met yet included */
};

/* The last operation on an object. */
struct surw_object {
    uint64_t key;
    uint32_t generation;
    uint32_t thread;
    uint32_t site;
    bool write;
};

struct surw_state {
    struct rv_arena *arena;
    struct rv_rng rng;
    uint64_t seed;
    uint32_t generation;
    uint32_t intended; /* thread that is to do the next interesting event; RV_NO_THREAD: to be drawn */
    uint32_t created;  /* threads created in this execution so far: the number of the last one */
    uint32_t thread_capacity;
    struct surw_thread *threads;
    struct surw_thread overflow; /* shared by all threads that found no room */
    struct rv_index sites;       /* by site: struct surw_site */
    struct rv_index counts;      /* by lineage and site: struct surw_count */
    struct rv_index lineages;    /* by lineage: struct surw_lineage */
    struct surw_object objects[OBJECTS];
};

static struct surw_site *site_at(const struct surw_state *state, uint32_t number) {
    return (struct surw_site *)state->sites.items + number;
}

static struct surw_count *count_at(const struct surw_state *state, uint32_t number) {
    return (struct surw_count *)state->counts.items + number;
}

static struct surw_lineage *lineage_at(const struct surw_state *state, uint32_t number) {
    return (struct surw_lineage *)state->lineages.items + number;
}

static void *surw_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    struct surw_state *state = rv_arena_alloc(arena, sizeof *state);
    if (!state) return NULL;
    state->arena = arena;
    state->seed = config->seed;
    return state;
}

/* ---- groups of sites */

static uint32_t root_of(struct surw_state *state, uint32_t number) {
    for (struct surw_site *site = site_at(state, number); site->parent; site = site_at(state, number)) {
        uint32_t above = site_at(state, site->parent - 1)->parent;
        if (!above) return site->parent - 1;
        site->parent = above; /* halves the path for the next time */
        number = above - 1;
    }
    return number;
}

static void unite(struct surw_state *state, uint32_t a, uint32_t b) {
    site_at(state, a)->conflict = true;
    site_at(state, b)->conflict = true;
    a = root_of(state, a);
    b = root_of(state, b);
    if (a != b) site_at(state, a > b ? a : b)->parent = (a > b ? b : a) + 1;
}

/* Unites the site with that of the last access to the same thing, if the two conflict. */
static void compare_with_last(struct surw_state *state, uint32_t thread, const struct rv_operation *done,
                              uint32_t site) {
    if (!done->object) return;
    uint64_t key = done->flags & RV_OPF_IO ? ~done->object : done->object;
    struct surw_object *last = &state->objects[(key * 0x9e3779b97f4a7c15u >> 32) % OBJECTS];
    bool write = done->flags & RV_OPF_WRITE;
    bool same = last->generation == state->generation && last->key == key;
    if (same && last->thread != thread && (write || last->write)) unite(state, site, last->site);
    *last = (struct surw_object){key, state->generation, thread, site, write};
}

/* Chooses what is interesting in this execution. */
static void choose_sites(struct surw_state *state) {
    bool all = rv_chance(&state->rng, ALL_ODDS);
    uint32_t groups = 0;
    uint32_t chosen = RV_NO_NUMBER;
    for (uint32_t i = 0; i < state->sites.count && !all; i++) {
        struct surw_site *site = site_at(state, i);
        if (site->parent || !site->conflict) continue;
        if (rv_rng_below(&state->rng, ++groups) == 0) chosen = i;
    }
    for (uint32_t i = 0; i < state->sites.count; i++)
        site_at(state, i)->chosen = site_at(state, i)->conflict && (all || root_of(state, i) == chosen);
}

static bool interesting(const struct surw_state *state, uint64_t site) {
    uint32_t number = rv_index_find(&state->sites, site);
    return number != RV_NO_NUMBER && site_at(state, number)->chosen;
}

/* ---- weights */

/* What every lineage is expected to do of what was chosen. */
static void weigh_lineages(struct surw_state *state) {
    for (uint32_t i = 0; i < state->lineages.count; i++) lineage_at(state, i)->weight = 0;
    for (uint32_t i = 0; i < state->counts.count; i++) {
        const struct surw_count *count = count_at(state, i);
        if (site_at(state, count->site)->chosen) lineage_at(state, count->lineage)->weight += count->average;
    }
    for (uint32_t i = state->lineages.count; i-- > 0;) {
        const struct surw_lineage *lineage = lineage_at(state, i);
        assert(lineage->parent <= i); /* so the weight is complete before it is handed up */
        if (lineage->parent) lineage_at(state, lineage->parent - 1)->weight += lineage->weight;
    }
}

static struct surw_thread *thread_of(struct surw_state *state, uint32_t thread) {
    struct surw_thread *entry = &state->overflow;
    if (thread >= state->thread_capacity) {
        struct surw_thread *larger =
            rv_grow(state->arena, state->threads, &state->thread_capacity, thread, sizeof *larger);
        if (larger) state->threads = larger;
    }
    if (thread < state->thread_capacity) entry = &state->threads[thread];
    if (entry->generation != state->generation) *entry = (struct surw_thread){.generation = state->generation};
    return entry;
}

/* A thread is seen for the first time in this execution: it takes its part of its creator's weight, and of the
 * chance that its creator had to be the intended one. */
static void meet(struct surw_state *state, const struct rv_candidate *candidate) {
    struct surw_thread *entry = thread_of(state, candidate->thread);
    if (entry->lineage) return;
    uint32_t known = state->lineages.count;
    uint32_t number = rv_index_add(&state->lineages, state->arena, candidate->lineage,
                                   sizeof(struct surw_lineage), MAX_LINEAGES);
    if (number == RV_NO_NUMBER) return;
    entry->lineage = number + 1;
    entry->weight = lineage_at(state, number)->weight;
    if (!entry->creator) return;
    uint32_t creator_thread = entry->creator - 1;
    struct surw_thread *creator = thread_of(state, creator_thread);
    if (number == known && creator->lineage <= number) lineage_at(state, number)->parent = creator->lineage;
    if (lineage_at(state, number)->parent != creator->lineage || !creator->lineage) return;
    uint64_t before = creator->weight;
    creator->weight -= before < entry->weight ? before : entry->weight;
    if (state->intended == creator_thread && before && rv_rng_below(&state->rng, before) < entry->weight)
        state->intended = candidate->thread;
}

/* ---- the walk */

static void surw_begin(void *opaque, uint64_t index) {
    struct surw_state *state = opaque;
    state->rng = rv_rng_stream(state->seed, index);
    state->generation++;
    state->intended = RV_NO_THREAD;
    state->created = 0;
    choose_sites(state);
    weigh_lineages(state);
}

/* Draws the thread of the next interesting event, by what each has left. Nobody has any left: RV_NO_THREAD. */
static void draw_intended(struct surw_state *state, const struct rv_point *point) {
    uint64_t sum = 0;
    state->intended = RV_NO_THREAD;
    for (uint32_t i = 0; i < point->count; i++) {
        if (!rv_ordinary(point, i)) continue;
        struct surw_thread *entry = thread_of(state, point->candidates[i].thread);
        /* More events than in the executions so far: this one at least. */
        if (entry->weight < ONE && interesting(state, point->candidates[i].next.site)) entry->weight = ONE;
        sum += entry->weight;
    }
    if (!sum) return;
    uint64_t at = rv_rng_below(&state->rng, sum);
    for (uint32_t i = 0; i < point->count; i++) {
        if (!rv_ordinary(point, i)) continue;
        uint64_t weight = thread_of(state, point->candidates[i].thread)->weight;
        if (at < weight) {
            state->intended = point->candidates[i].thread;
            return;
        }
        at -= weight;
    }
}

static bool held_back(const struct surw_state *state, const struct rv_candidate *candidate) {
    return candidate->thread != state->intended && interesting(state, candidate->next.site);
}

static uint32_t surw_pick(void *opaque, const struct rv_point *point) {
    struct surw_state *state = opaque;
    for (uint32_t i = 0; i < point->count; i++) meet(state, &point->candidates[i]);
    int64_t unusual = rv_sample_unusual(&state->rng, point);
    if (unusual >= 0) return (uint32_t)unusual;
    bool possible = false;
    for (uint32_t i = 0; i < point->count; i++)
        possible |= rv_ordinary(point, i) && point->candidates[i].thread == state->intended;
    if (!possible) draw_intended(state, point);
    uint32_t free = 0;
    uint32_t picked = 0;
    for (uint32_t i = 0; i < point->count; i++) {
        if (!rv_ordinary(point, i) || held_back(state, &point->candidates[i])) continue;
        if (rv_rng_below(&state->rng, ++free) == 0) picked = i;
    }
    assert(free); /* the intended thread; or nobody is intended, and then nobody's next is interesting */
    return picked;
}

static uint32_t surw_choose(void *opaque, uint32_t n) {
    struct surw_state *state = opaque;
    return rv_sample_choose(&state->rng, n);
}

static void surw_observe(void *opaque, uint32_t thread, const struct rv_operation *done) {
    struct surw_state *state = opaque;
    if (done->op == RV_OP_CREATE) thread_of(state, ++state->created)->creator = thread + 1;
    uint32_t site =
        rv_index_add(&state->sites, state->arena, done->site, sizeof(struct surw_site), MAX_SITES);
    if (site == RV_NO_NUMBER) return;
    compare_with_last(state, thread, done, site);
    if (!site_at(state, site)->conflict) return;
    struct surw_thread *entry = thread_of(state, thread);
    if (site_at(state, site)->chosen) {
        entry->weight -= entry->weight < ONE ? entry->weight : ONE;
        state->intended = RV_NO_THREAD;
    }
    if (!entry->lineage) return; /* it never had to be chosen so far: its events need no weight */
    uint32_t lineage = entry->lineage - 1;
    uint32_t number = rv_index_add(&state->counts, state->arena, (uint64_t)lineage << 32 | site,
                                   sizeof(struct surw_count), MAX_COUNTS);
    if (number == RV_NO_NUMBER) return;
    struct surw_count *count = count_at(state, number);
    count->lineage = lineage;
    count->site = site;
    count->seen++;
}

static bool surw_end(void *opaque, const struct rv_strategy_end *outcome) {
    struct surw_state *state = opaque;
    bool whole = outcome->kind == RV_KIND_NONE && !outcome->not_terminating;
    for (uint32_t i = 0; i < state->counts.count; i++) {
        struct surw_count *count = count_at(state, i);
        uint32_t seen = count->seen < UINT32_MAX / ONE ? count->seen * ONE : UINT32_MAX;
        uint32_t apart = seen > count->average ? seen - count->average : count->average - seen;
        bool close = apart < 4 || !count->average;
        count->seen = 0;
        if (seen > count->average) count->average = close ? seen : count->average + apart / 4;
        else if (whole) count->average = close ? seen : count->average - apart / 4;
    }
    return true;
}

const struct rv_strategy rv_strategy_surw = {
    .name = "surw",
    .parameter = "",
    .guarantee = "the interleavings of the operations on one shared thing, or on all, have about the same chance each",
    .check = rv_check_no_params,
    .create = surw_create,
    .begin = surw_begin,
    .pick = surw_pick,
    .choose = surw_choose,
    .observe = surw_observe,
    .end = surw_end,
};
