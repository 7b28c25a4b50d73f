/* The scheduler of partial order sampling, for pos.c and for strategies that put wishes on top of it.
 *
 * Every pending event has a random priority and the highest goes on; events in conflict with it draw again.
 * The idea and its source are in pos.c. A strategy embeds a `struct rv_pos` in its state (in the arena, zeroed, with
 * `arena` and `seed` set), calls rv_pos_begin and rv_pos_pick, and may use `rng` for its own draws.
 *
 * rv_pos_pick is inline with the caller's `held_back`, because it is called for every candidate of every point. A
 * candidate that is held back comes after all others, but before a wait is made to time out for no reason.
 */
#ifndef RV_STRATEGY_POS_H
#define RV_STRATEGY_POS_H

#include "strategy/dependence.h"
#include "strategy/sample.h"

struct rv_pos_event {
    uint64_t step; /* 1 + step of the thread for which it was drawn; 0: to be drawn */
    uint64_t priority;
};

struct rv_pos_thread {
    struct rv_pos_event normal;
    struct rv_pos_event timeout;
    uint32_t generation; /* execution in which this entry was set: others are stale */
};

struct rv_pos {
    struct rv_arena *arena;
    struct rv_rng rng;
    uint64_t seed;
    uint32_t generation; /* number of this execution, from 1 */
    uint32_t capacity;   /* of threads */
    struct rv_pos_thread *threads;
    struct rv_pos_thread overflow; /* shared by all threads that found no room */
};

enum { RV_POS_TIMEOUT_SHIFT = 12 }; /* time-outs that do not come early have priorities below 2^(64 - this) */

/* Whether the strategy would rather not have this candidate go on now. */
typedef bool rv_pos_filter(void *context, const struct rv_candidate *candidate);

void rv_pos_begin(struct rv_pos *pos, uint64_t index);
/* A fresh entry for a thread that has none in this execution. */
struct rv_pos_thread *rv_pos_renew(struct rv_pos *pos, uint32_t thread);

static inline struct rv_pos_event *rv_pos_event(struct rv_pos *pos, const struct rv_candidate *candidate) {
    uint32_t thread = candidate->thread;
    bool known = thread < pos->capacity && pos->threads[thread].generation == pos->generation;
    struct rv_pos_thread *entry = known ? &pos->threads[thread] : rv_pos_renew(pos, thread);
    return candidate->timeout ? &entry->timeout : &entry->normal;
}

static inline uint64_t rv_pos_priority(struct rv_pos *pos, const struct rv_candidate *candidate) {
    struct rv_pos_event *event = rv_pos_event(pos, candidate);
    if (event->step != candidate->step + 1) {
        event->step = candidate->step + 1;
        event->priority = rv_rng_next(&pos->rng);
        if (candidate->timeout && !rv_chance(&pos->rng, rv_early_odds(&candidate->next)))
            event->priority >>= RV_POS_TIMEOUT_SHIFT;
    }
    return event->priority;
}

/* Below every priority of its kind, above those of late time-outs, in the same order among themselves. */
static inline uint64_t rv_pos_lowered(uint64_t priority) {
    return ((uint64_t)1 << (64 - RV_POS_TIMEOUT_SHIFT)) + (priority >> (RV_POS_TIMEOUT_SHIFT + 1));
}

/* `chosen` goes on: it and the events in conflict with it draw again. */
static inline void rv_pos_redraw(struct rv_pos *pos, const struct rv_point *point,
                                 const struct rv_candidate *chosen) {
    for (uint32_t i = 0; i < point->count; i++) {
        const struct rv_candidate *other = &point->candidates[i];
        if (other->thread != chosen->thread && rv_operations_conflict(&chosen->next, &other->next))
            rv_pos_event(pos, other)->step = 0;
    }
    rv_pos_event(pos, chosen)->step = 0;
}

/* The index of the candidate to go on. `held_back` may be NULL: nobody is. */
static inline uint32_t rv_pos_pick(struct rv_pos *pos, const struct rv_point *point, rv_pos_filter *held_back,
                                   void *context) {
    int64_t last = -1; /* the candidate that waits for all others */
    if (point->yielded && point->current_index >= 0 && point->count > 1 &&
        !rv_chance(&pos->rng, RV_YIELD_ODDS))
        last = point->current_index;
    int64_t best = -1;
    uint64_t best_priority = 0;
    for (uint32_t i = 0; i < point->count; i++) {
        if (i == last) continue;
        uint64_t priority = rv_pos_priority(pos, &point->candidates[i]);
        if (best >= 0 && priority <= best_priority) continue;
        if (held_back && held_back(context, &point->candidates[i])) {
            priority = rv_pos_lowered(priority);
            if (best >= 0 && priority <= best_priority) continue;
        }
        best = i;
        best_priority = priority;
    }
    rv_pos_redraw(pos, point, &point->candidates[best]);
    return (uint32_t)best;
}

#endif
