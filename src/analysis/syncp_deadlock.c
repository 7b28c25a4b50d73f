/* Tunc, Mathur, Pavlogiannis and Viswanathan, "Sound Dynamic Deadlock Prediction in Linear Time", PLDI 2023.
 *
 * Steps e1..ek that ask for locks are next, all at once, after a sync-preserving reordering if and only if the closure of
 * what they need (syncp.c) has none of them. Each thread then holds what the one before it asks for: had the closure to
 * have a release of such a lock, it would have the wait before the release.
 *
 * Like steps are candidates for the same place of the cycle, in the order of their thread. The closure grows with each
 * candidate. So one that is in the closure for some choice of the others is in that of every later choice, and is done
 * with: the choices walk forward only, and the closure is never begun anew.
 *
 * Candidates must hold what the step of the cycle held, and all its locks must be of one life. Locks in new memory are not
 * told from the old ones in syncp_model.c; here they are, by counting the lives of the pattern's locks.
 */
#include "analysis/syncp_deadlock.h"

#include <string.h>

#include "analysis/syncp_model.h"
#include "strategy/sample.h"

enum { LIMIT = 1 << 24 };

struct candidate {
    uint32_t step, held_step;
    uint32_t locks, life;
};

/* One wait of a pattern, and the steps that could be it. */
struct place {
    struct candidate *candidates;
    uint32_t count, capacity;
    uint32_t pattern;
    uint32_t next; /* 1 + the next place with the same key */
};

struct search {
    struct rv_arena *arena;
    struct rv_deadlock_pattern *patterns;
    uint32_t pattern_count;
    struct place (*places)[RV_LONGEST_CYCLE]; /* of each pattern */
    uint32_t *lives;                          /* of each pattern's locks */
    struct rv_index keys;                     /* items: 1 + number of the first place, through all patterns */
    uint64_t lowest, highest;                 /* addresses of locks */
    struct rv_held held;
};

static uint64_t key_of(uint64_t wanted, uint64_t site, uint32_t thread) {
    uint64_t key = (wanted ^ (uint64_t)thread << 48) * 0x9e3779b97f4a7c15u;
    return (key ^ key >> 29 ^ site) * 0xd1342543de82ef95u;
}

static struct place *place_of(const struct search *search, uint32_t number) {
    return &search->places[number / RV_LONGEST_CYCLE][number % RV_LONGEST_CYCLE];
}

static const struct rv_lock_wait *wait_of(const struct search *search, uint32_t number) {
    return &search->patterns[number / RV_LONGEST_CYCLE].waits[number % RV_LONGEST_CYCLE];
}

static bool add_places(struct search *search) {
    search->lowest = UINT64_MAX;
    search->places = rv_arena_alloc(search->arena, search->pattern_count * sizeof *search->places);
    search->lives = rv_arena_alloc(search->arena, search->pattern_count * sizeof *search->lives);
    if (!search->places || !search->lives) return false;
    for (uint32_t i = 0; i < search->pattern_count; i++)
        for (uint32_t k = 0; k < search->patterns[i].count; k++) {
            const struct rv_lock_wait *wait = &search->patterns[i].waits[k];
            uint64_t key = key_of(wait->wanted, wait->wanted_site, wait->thread);
            uint32_t at = rv_index_add(&search->keys, search->arena, key, sizeof(uint32_t), LIMIT);
            if (at == RV_NO_NUMBER) return false;
            uint32_t *first = &((uint32_t *)search->keys.items)[at];
            search->places[i][k] = (struct place){.pattern = i, .next = *first};
            *first = i * RV_LONGEST_CYCLE + k + 1;
            if (wait->wanted < search->lowest) search->lowest = wait->wanted;
            if (wait->wanted > search->highest) search->highest = wait->wanted;
        }
    return true;
}

static void begin_lives(struct search *search, uint64_t address, uint64_t size) {
    if (!size || address > search->highest || (address < search->lowest && search->lowest - address >= size))
        return;
    for (uint32_t i = 0; i < search->pattern_count; i++)
        for (uint32_t k = 0; k < search->patterns[i].count; k++)
            if (search->patterns[i].waits[k].wanted - address < size) search->lives[i]++;
}

/* The hold that makes the step one of these waits, or NULL. */
static const struct rv_lock_hold *match(const struct rv_held_thread *held, const struct rv_step *step,
                                        const struct rv_lock_wait *wait) {
    const struct rv_lock_hold *found = NULL;
    if (step->address != wait->wanted || step->site != wait->wanted_site || step->thread != wait->thread ||
        (step->kind == RV_STEP_LOCK_SHARED) != wait->wanted_shared)
        return NULL;
    for (uint32_t i = 0; i < held->count; i++) {
        const struct rv_lock_hold *hold = &held->locks[i];
        if (hold->lock.address == wait->wanted) return NULL; /* held already: it does not wait */
        if (hold->lock.address == wait->held && hold->site == wait->held_site &&
            hold->lock.shared == wait->held_shared)
            found = hold;
    }
    return found;
}

static bool add_candidates(struct search *search, const struct rv_step *step, uint32_t number) {
    const struct rv_held_thread *held = rv_held_thread(&search->held, step->thread);
    if (!held || !held->count || step->order == RV_LOCK_TRIED) return true;
    uint32_t at = rv_index_find(&search->keys, key_of(step->address, step->site, step->thread));
    if (at == RV_NO_NUMBER) return true;
    for (uint32_t next = ((uint32_t *)search->keys.items)[at]; next;) {
        struct place *place = place_of(search, next - 1);
        const struct rv_lock_hold *hold = match(held, step, wait_of(search, next - 1));
        next = place->next;
        if (!hold) continue;
        struct candidate *list =
            rv_grow(search->arena, place->candidates, &place->capacity, place->count, sizeof *list);
        if (!list) return false;
        place->candidates = list;
        list[place->count++] =
            (struct candidate){number, hold->step, held->set, search->lives[place->pattern]};
    }
    return true;
}

static bool collect(struct search *search, const struct rv_step *steps, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const struct rv_step *step = &steps[i];
        if (step->kind == RV_STEP_ALLOC) begin_lives(search, step->address, step->size);
        if (step->kind == RV_STEP_RENEW) begin_lives(search, step->address, 1);
        if ((step->kind == RV_STEP_LOCK || step->kind == RV_STEP_LOCK_SHARED) &&
            !add_candidates(search, step, i))
            return false;
        if (!rv_held_step(&search->held, step, i)) return false;
    }
    return true;
}

/* Candidates stay that hold what the pattern's own step holds, in the same life. False: that one is not there. */
static bool keep_alike(struct search *search, uint32_t pattern) {
    const struct candidate *first = NULL;
    for (uint32_t k = 0; k < search->patterns[pattern].count; k++) {
        struct place *place = &search->places[pattern][k];
        const struct candidate *own = NULL;
        for (uint32_t i = 0; i < place->count && !own; i++)
            if (place->candidates[i].step == search->patterns[pattern].waits[k].wanted_step)
                own = &place->candidates[i];
        if (!own || (first && first->life != own->life)) return false;
        struct candidate like = *own;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < place->count; i++)
            if (place->candidates[i].locks == like.locks && place->candidates[i].life == like.life)
                place->candidates[kept++] = place->candidates[i];
        place->count = kept;
        first = place->candidates;
    }
    return true;
}

/* What must be done for the step, which asks for a lock, to be next. */
static void join_needs(const struct rv_syncp *m, uint32_t *set, uint32_t step, uint32_t thread) {
    const uint32_t *closed = rv_syncp_vector(m, m->closed, step);
    for (uint32_t t = 0; t < m->threads; t++) {
        uint32_t needed = t == thread ? m->local[step] - 1 : closed[t];
        if (needed > set[t]) set[t] = needed;
    }
}

static bool predict(struct search *search, struct rv_syncp *m, uint32_t *set, uint32_t number) {
    struct rv_deadlock_pattern *pattern = &search->patterns[number];
    struct place *places = search->places[number];
    uint32_t at[RV_LONGEST_CYCLE] = {0}, threads[RV_LONGEST_CYCLE];
    memset(set, 0, m->threads * sizeof *set);
    for (uint32_t k = 0; k < pattern->count; k++)
        threads[k] = rv_index_find(&m->thread_numbers, pattern->waits[k].thread);
    for (bool moved = true; moved;) {
        for (uint32_t k = 0; k < pattern->count; k++)
            join_needs(m, set, places[k].candidates[at[k]].step, threads[k]);
        if (!rv_syncp_close(m, set)) return false;
        moved = false;
        for (uint32_t k = 0; k < pattern->count; k++) {
            while (at[k] < places[k].count && set[threads[k]] >= m->local[places[k].candidates[at[k]].step]) {
                at[k]++;
                moved = true;
            }
            if (at[k] == places[k].count) return false;
        }
    }
    for (uint32_t k = 0; k < pattern->count; k++) {
        pattern->waits[k].wanted_step = places[k].candidates[at[k]].step;
        pattern->waits[k].held_step = places[k].candidates[at[k]].held_step;
    }
    return true;
}

bool rv_syncp_find_deadlocks(const struct rv_step *steps, uint64_t count, struct rv_arena *arena,
                             uint64_t *work, struct rv_deadlock_pattern *patterns, uint32_t pattern_count) {
    size_t mark = rv_arena_mark(arena);
    struct search search = {
        .arena = arena, .patterns = patterns, .pattern_count = pattern_count, .held = {.arena = arena}};
    struct rv_syncp m = {.arena = arena, .steps = steps, .count = (uint32_t)count, .work = *work};
    bool done =
        count < RV_NO_STEP && add_places(&search) && collect(&search, steps, m.count) && rv_syncp_build(&m);
    uint32_t *set = done ? rv_arena_alloc(arena, m.threads * sizeof *set) : NULL;
    done = done && (set || !count);
    for (uint32_t i = 0; done && i < pattern_count; i++) {
        patterns[i].predicted = keep_alike(&search, i) && predict(&search, &m, set, i);
        done = m.work != 0;
    }
    *work = m.work;
    rv_arena_reset(arena, mark);
    return done;
}
