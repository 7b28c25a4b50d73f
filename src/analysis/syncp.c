/* Mathur, Pavlogiannis and Viswanathan, "Optimal Prediction of Synchronization-Preserving Races", POPL 2021.
 *
 * A set of steps I is the content of a sync-preserving reordering, namely of the trace with all other steps left out, if
 *   - with a step it has what the step needs (syncp_model.c), and
 *   - of two sections in I of one lock, not both shared, the earlier one has its release in I.
 * Closing a set under both rules adds only steps earlier in the trace than some step that is there: a release is before the
 * later section. So for accesses i < j the least set that must be done for both to be next is the closure of their
 * entries, j is never in it, and the pair is a race if and only if i is not either.
 *
 * Of a thread's sections of a lock only the last in I can lack its release. It needs it if any section in I that conflicts comes
 * later in the trace, so the latest in I of each mode is all that must be known.
 *
 * Most pairs fall out before that: accesses with a lock in common never race, nor those that need each other without locks.
 *
 * The set grows with i and with j. For two groups of like accesses, one pass finds whether some pair races: an i
 * that is in the set for one j is in that of all later j, and is done with.
 *
 * Other than in the paper: sections are found by binary search, not by a pointer that moves on, for a factor of log n; a
 * group is a statement, thread and location, for pairs of statements are what is reported; locks may be shared, and
 * further edges are in `need`.
 */
#include "analysis/syncp.h"

#include <string.h>

#include "analysis/granules.h"
#include "analysis/syncp_model.h"

/* Whether an access of the first group races with a later one of the second. */
static bool find_race(struct rv_syncp *m, const struct rv_group *a, const struct rv_group *b, uint32_t *set,
                      uint32_t *first, uint32_t *second) {
    memset(set, 0, m->threads * sizeof *set);
    for (uint32_t j = 0, i = 0; j < b->count; j++) {
        uint32_t later = b->steps[j];
        rv_syncp_join(m, set, rv_syncp_vector(m, m->entry, later));
        if (!rv_syncp_work(m, m->threads)) return false;
        for (; i < a->count && a->steps[i] < later; i++) {
            uint32_t earlier = a->steps[i];
            if (!rv_syncp_work(m, m->threads)) return false;
            if (m->life[earlier] != m->life[later]) continue; /* a life that is over */
            rv_syncp_join(m, set, rv_syncp_vector(m, m->entry, earlier));
            if (set[a->thread] >= m->local[earlier]) continue; /* known without looking at locks */
            if (!rv_syncp_close(m, set)) return false;
            if (set[a->thread] >= m->local[earlier]) continue;
            *first = earlier;
            *second = later;
            return true;
        }
    }
    return false;
}

/* They conflict, and this granule is the first that both touch. With a lock in common they cannot race: for both to be next
 * both sections must be open. */
static bool is_pair(const struct rv_syncp *m, const struct rv_group *a, const struct rv_group *b,
                    uint64_t granule) {
    if (a->thread == b->thread || !rv_steps_conflict(a->kind, b->kind)) return false;
    if (a->address - b->address >= b->size && b->address - a->address >= a->size) return false;
    uint64_t later = a->address > b->address ? a->address : b->address;
    return later >> 3 == granule >> 3 &&
           !rv_locksets_meet(rv_held_set(&m->held, a->locks), rv_held_set(&m->held, b->locks));
}

static uint64_t pair_key(const struct rv_group *a, const struct rv_group *b) {
    uint64_t low = a->site < b->site ? a->site : b->site, high = a->site < b->site ? b->site : a->site;
    return (low * 0x9e3779b97f4a7c15u ^ low >> 31) * 0xd1342543de82ef95u +
           high; /* of 64 bits: no two in practice */
}

bool rv_syncp_find_within(const struct rv_step *steps, uint64_t count, struct rv_arena *arena, uint64_t *work,
                          rv_syncp_callback *callback, void *user) {
    struct rv_syncp m = {.arena = arena, .steps = steps, .count = (uint32_t)count, .work = *work};
    struct rv_index pairs = {0};
    size_t mark = rv_arena_mark(arena);
    bool done = count < RV_NO_STEP && rv_syncp_build(&m);
    uint32_t *set = done ? rv_arena_alloc(arena, m.threads * sizeof *set) : NULL;
    const struct rv_group *groups = m.groups.items;
    done = done && (set || !count);
    for (uint32_t i = 0; done && i < m.granules.count; i++) {
        const struct rv_syncp_granule *granule = &((const struct rv_syncp_granule *)m.granules.items)[i];
        for (const struct rv_group_link *x = granule->groups; x; x = x->next)
            for (const struct rv_group_link *y = x->next; y && done; y = y->next) {
                const struct rv_group *a = &groups[x->group], *b = &groups[y->group];
                uint32_t first, second;
                done = rv_syncp_work(&m, 1);
                uint64_t key = pair_key(a, b);
                if (!is_pair(&m, a, b, granule->address) || rv_index_find(&pairs, key) != RV_NO_NUMBER)
                    continue;
                if (!find_race(&m, a, b, set, &first, &second) && !find_race(&m, b, a, set, &first, &second))
                    continue;
                done = rv_index_add(&pairs, arena, key, 1, RV_NO_STEP) != RV_NO_NUMBER;
                callback(user, first, second);
            }
    }
    rv_arena_reset(arena, mark);
    *work = m.work;
    return done && m.work;
}

bool rv_syncp_find(const struct rv_step *steps, uint64_t count, struct rv_arena *arena,
                   rv_syncp_callback *callback, void *user) {
    uint64_t work = UINT64_MAX;
    return rv_syncp_find_within(steps, count, arena, &work, callback, user);
}
