/* Which locks each thread holds, as numbered sets. Equal sets have equal numbers; 0 is the empty set. Sets and numbers live
 * in an arena, until it is reset.
 *
 * A recursive lock is held until it was given back as often as it was taken; held shared and exclusively it
 * counts as exclusive. A lock given back by a thread that does not hold it changes nothing.
 */
#ifndef RV_ANALYSIS_HELD_H
#define RV_ANALYSIS_HELD_H

#include "analysis/step.h"
#include "strategy/index.h"

enum { RV_HELD_MAX = 64 }; /* locks of one thread at a time */

struct rv_lock {
    uint64_t address;
    bool shared;
};

/* Sorted by address. */
struct rv_lockset {
    uint32_t count;
    struct rv_lock locks[];
};

struct rv_lock_hold {
    struct rv_lock lock;
    uint32_t times;
    uint32_t step; /* number of the step that took it first, */
    uint64_t site; /* and where */
};

struct rv_held_thread {
    uint32_t set; /* number of the set */
    uint32_t count;
    struct rv_lock_hold *locks; /* sorted by address; room for RV_HELD_MAX */
};

/* Zeroed with an arena: nobody holds anything. */
struct rv_held {
    struct rv_arena *arena;
    struct rv_index threads; /* items: struct rv_held_thread */
    struct rv_index sets;    /* by hash; items: struct rv_lockset * */
};

/* Takes and gives back as the step says. False: no memory, or too many locks. */
bool rv_held_step(struct rv_held *held, const struct rv_step *step, uint32_t number);
/* The thread's set. */
uint32_t rv_held_by(const struct rv_held *held, uint32_t thread);
/* The same with its sites; NULL: it never held any. Good until the next step. */
const struct rv_held_thread *rv_held_thread(const struct rv_held *held, uint32_t thread);
const struct rv_lockset *rv_held_set(const struct rv_held *held, uint32_t set);
/* A lock is in both, and not shared in both. */
bool rv_locksets_meet(const struct rv_lockset *a, const struct rv_lockset *b);

#endif
