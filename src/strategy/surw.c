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
 * Uniform over everything is uniform over mostly irrelevant things, so the walk is selective: only the order
 * of some interesting events is sampled uniformly. The thread that is to do the next interesting event is
 * drawn beforehand, by what each has left. Until it has done it, every other thread may go on up to its next
 * interesting event and is held back there; among those not held back the walk is plainly random. If the drawn
 * thread cannot go on, another is drawn; a thread that can go on again later takes part in the draw belatedly,
 * with the chance that it would have had. So no schedule is excluded.
 *
 * What the paper leaves to its user, and how it is done here:
 *   - What is interesting? Sites whose operations conflict are united into groups, each about one shared thing
 *     (a variable and its readers and writers, a mutex and its lockers). An execution takes one group at random,
 *     or, in ALL_ODDS of the executions, all of them.
 *   - How many are left? Counted by lineage and site in the executions so far, an average that follows changes by
 *     a quarter. The first execution knows nothing and is a plain random walk. An execution that was cut short
 *     (failure, max_steps) can only raise the counts. A thread that has more to do than expected makes the next one
 *     be drawn again, with this event in its weight: a wrong count must not shut out a schedule.
 * Deviations: the usual biases for time-outs and yields (sample.h) come first. Counts are estimates, locks
 * hold threads up: uniformity is exact where counts do not depend on the schedule and nothing blocks. Conflicts are
 * noticed only against the last operation on the same address, in a table of OBJECTS entries that forgets. Plain
 * accesses that are done without asking, because nobody else can go on, are not reported and so not counted.
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
    uint64_t draw;       /* number of the last draw that it took part in */
    uint64_t step;       /* 1 + the step for which `wanted` was found out; 0: none */
    bool wanted;         /* its pending event is interesting */
    uint64_t picked;     /* 1 + site of the event for which it was picked last, already counted; 0: none */
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
    uint64_t draw;     /* number of the draw that chose it, */
    uint64_t drawn;    /* and the sum of the weights that took part */
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

static struct surw_thread *renew_thread(struct surw_state *state, uint32_t thread) {
    struct surw_thread *entry = &state->overflow;
    if (thread >= state->thread_capacity) {
        struct surw_thread *larger =
            rv_grow(state->arena, state->threads, &state->thread_capacity, thread, sizeof *larger);
        if (larger) state->threads = larger;
    }
    if (thread < state->thread_capacity) entry = &state->threads[thread];
    if (entry->generation != state->generation)
        *entry = (struct surw_thread){.generation = state->generation};
    return entry;
}

static inline struct surw_thread *thread_of(struct surw_state *state, uint32_t thread) {
    if (thread < state->thread_capacity && state->threads[thread].generation == state->generation)
        return &state->threads[thread];
    return renew_thread(state, thread);
}

/* Whether the candidate's next event is interesting. Looked up once per step. */
static inline bool interesting(struct surw_state *state, struct surw_thread *entry,
                               const struct rv_candidate *candidate) {
    if (entry->step != candidate->step + 1) {
        uint32_t site = rv_index_find(&state->sites, candidate->next.site);
        entry->wanted = site != RV_NO_NUMBER && site_at(state, site)->chosen;
        entry->step = candidate->step + 1;
    }
    return entry->wanted;
}

/* A thread takes its part of its creator's weight, and of the chance that its creator had to be the intended one.
 * Both have been met. */
static void part_from_creator(struct surw_state *state, uint32_t thread) {
    struct surw_thread *entry = thread_of(state, thread);
    uint32_t creator_thread = entry->creator - 1;
    struct surw_thread *creator = thread_of(state, creator_thread);
    struct surw_lineage *lineage = lineage_at(state, entry->lineage - 1);
    if (!lineage->parent && creator->lineage < entry->lineage)
        lineage->parent = creator->lineage;
    else if (lineage->parent != creator->lineage)
        return;
    uint64_t before = creator->weight;
    creator->weight -= before < entry->weight ? before : entry->weight;
    if (state->intended == creator_thread && before && rv_rng_below(&state->rng, before) < entry->weight)
        state->intended = thread;
    entry->draw = creator->draw;
}

/* The lineage of a thread is known from the first point at which it is a candidate. */
static void meet(struct surw_state *state, const struct rv_candidate *candidate, struct surw_thread *entry) {
    uint32_t number = rv_index_add(&state->lineages, state->arena, candidate->lineage,
                                   sizeof(struct surw_lineage), MAX_LINEAGES);
    if (number == RV_NO_NUMBER) return;
    entry->lineage = number + 1;
    entry->weight = lineage_at(state, number)->weight;
    if (entry->creator && thread_of(state, entry->creator - 1)->lineage)
        part_from_creator(state, candidate->thread);
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

/* A thread that could not go on when the intended one was drawn, and now can. */
static void take_part(struct surw_state *state, uint32_t thread, struct surw_thread *entry) {
    entry->draw = state->draw;
    state->drawn += entry->weight;
    if (entry->weight && rv_rng_below(&state->rng, state->drawn) < entry->weight) state->intended = thread;
}

/* Meets new threads and sees whether the intended thread is still one that can be picked, and whether
 * nobody has more interesting events than expected. */
static bool intention_holds(struct surw_state *state, const struct rv_point *point) {
    bool possible = false;
    bool surprise = false;
    for (uint32_t i = 0; i < point->count; i++) {
        const struct rv_candidate *candidate = &point->candidates[i];
        struct surw_thread *entry = thread_of(state, candidate->thread);
        if (!entry->lineage) meet(state, candidate, entry);
        if (!rv_ordinary(point, i)) continue;
        if (entry->weight < ONE && interesting(state, entry, candidate)) {
            entry->weight = ONE;
            surprise = true;
        }
        if (entry->draw != state->draw) take_part(state, candidate->thread, entry);
    }
    for (uint32_t i = 0; i < point->count; i++)
        possible |= rv_ordinary(point, i) && point->candidates[i].thread == state->intended;
    return possible && !surprise;
}

/* Draws the thread of the next interesting event, by what each has left. Nobody has any left: RV_NO_THREAD. */
static void draw_intended(struct surw_state *state, const struct rv_point *point) {
    state->intended = RV_NO_THREAD;
    state->draw++;
    state->drawn = 0;
    for (uint32_t i = 0; i < point->count; i++) {
        if (!rv_ordinary(point, i)) continue;
        struct surw_thread *entry = thread_of(state, point->candidates[i].thread);
        entry->draw = state->draw;
        state->drawn += entry->weight;
    }
    if (!state->drawn) return;
    uint64_t at = rv_rng_below(&state->rng, state->drawn);
    for (uint32_t i = 0; state->intended == RV_NO_THREAD; i++) {
        assert(i < point->count);
        if (!rv_ordinary(point, i)) continue;
        uint64_t weight = thread_of(state, point->candidates[i].thread)->weight;
        if (at < weight) state->intended = point->candidates[i].thread;
        at -= weight;
    }
}

/* An event of this thread at this site takes place: it is one less to come, and counted for later executions. */
static void count_event(struct surw_state *state, struct surw_thread *entry, uint32_t site) {
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

static uint32_t site_number(struct surw_state *state, uint64_t site) {
    return rv_index_add(&state->sites, state->arena, site, sizeof(struct surw_site), MAX_SITES);
}

/* What is picked is about to happen. The engine does not report every operation when it is done. */
static uint32_t take(struct surw_state *state, const struct rv_point *point, uint32_t index) {
    const struct rv_candidate *candidate = &point->candidates[index];
    if (candidate->timeout) return index;
    uint32_t site = site_number(state, candidate->next.site);
    if (site == RV_NO_NUMBER) return index;
    struct surw_thread *entry = thread_of(state, candidate->thread);
    entry->picked = candidate->next.site + 1;
    compare_with_last(state, candidate->thread, &candidate->next, site);
    count_event(state, entry, site);
    return index;
}

/* Neither unusual nor held back. */
static inline bool may_go(struct surw_state *state, const struct rv_point *point, uint32_t index) {
    const struct rv_candidate *candidate = &point->candidates[index];
    if (!rv_ordinary(point, index)) return false;
    if (candidate->thread == state->intended) return true;
    return !interesting(state, thread_of(state, candidate->thread), candidate);
}

static uint32_t surw_pick(void *opaque, const struct rv_point *point) {
    struct surw_state *state = opaque;
    if (!intention_holds(state, point)) draw_intended(state, point);
    int64_t unusual = rv_sample_unusual(&state->rng, point);
    if (unusual >= 0) return take(state, point, (uint32_t)unusual);
    uint32_t free = 0;
    for (uint32_t i = 0; i < point->count; i++) free += may_go(state, point, i);
    assert(free); /* the intended thread; or nobody is intended, and then nobody's next is interesting */
    uint64_t nth = free > 1 ? rv_rng_below(&state->rng, free) : 0;
    uint32_t picked = 0;
    while (!may_go(state, point, picked) || nth--) picked++;
    return take(state, point, picked);
}

static uint32_t surw_choose(void *opaque, uint32_t n) {
    struct surw_state *state = opaque;
    return rv_sample_choose(&state->rng, n);
}

/* Creations, and events for which nobody was asked. */
static void surw_observe(void *opaque, uint32_t thread, const struct rv_operation *done) {
    struct surw_state *state = opaque;
    if (!done->site) return; /* part of another operation */
    struct surw_thread *entry = thread_of(state, thread);
    bool counted = entry->picked == done->site + 1;
    entry->picked = 0;
    uint32_t site = site_number(state, done->site);
    if (!counted && site != RV_NO_NUMBER) {
        compare_with_last(state, thread, done, site);
        count_event(state, entry, site);
    }
    if (done->op != RV_OP_CREATE || !done->object) return; /* no object: the creation failed */
    struct surw_thread *created = thread_of(state, ++state->created);
    created->creator = thread + 1;
    if (created->lineage && thread_of(state, thread)->lineage) part_from_creator(state, state->created);
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
        if (seen > count->average)
            count->average = close ? seen : count->average + apart / 4;
        else if (whole)
            count->average = close ? seen : count->average - apart / 4;
    }
    return true;
}

const struct rv_strategy rv_strategy_surw = {
    .name = "surw",
    .parameter = "",
    .guarantee =
        "the interleavings of the operations on one shared thing, or on all, have about the same chance each",
    .check = rv_check_no_params,
    .create = surw_create,
    .begin = surw_begin,
    .pick = surw_pick,
    .choose = surw_choose,
    .observe = surw_observe,
    .end = surw_end,
};
