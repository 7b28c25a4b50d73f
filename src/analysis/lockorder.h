/* Deadlocks that could happen in another schedule: cycles in the order in which threads take locks.
 *
 * A *wait* is a thread taking a lock while it holds another. A potential deadlock is a cycle of 2 to 4 waits, each for the
 * lock that the next one's thread holds, such that
 *
 *   the waits are of different threads       | a thread alone does not wait for itself
 *   no lock is held in two of the waits      | a gate lock lets one in at a time (held shared in both, it is no gate)
 *   no two are ordered but by locks          | creation, joining, channels, barriers, atomics: they cannot be at once
 *   what is waited for and held conflict     | not both shared (that a waiting writer may keep readers out is left aside)
 *   nobody tried                             | a trylock gives up instead of waiting; what it took can be held
 *
 *   guarantee                                | but for
 *   -----------------------------------------+----------------------------------------------------------------------------
 *   every report is such a cycle             | -
 *   every such cycle is reported             | cycles with the same sites as one before in this execution; and some of three
 *                                            | or four: of waits of one thread with the same locks and sites only the first
 *                                            | and the latest are kept (with two, the latest stands for all)
 *
 *   operation          | called                   | guarantees
 *   rv_lockorder_init  | once                     | false: no memory
 *   rv_lockorder_begin | before each execution    | all forgotten; constant time
 *   rv_lockorder_step  | for every step, in order | reports come before it returns; accesses to memory may be left out
 */
#ifndef RV_ANALYSIS_LOCKORDER_H
#define RV_ANALYSIS_LOCKORDER_H

#include "analysis/hb.h"
#include "analysis/held.h"

enum { RV_LONGEST_CYCLE = 4 };

/* A thread that holds one lock and waits for another. */
struct rv_lock_wait {
    uint64_t held, wanted; /* addresses */
    uint64_t held_site, wanted_site;
    uint32_t held_step, wanted_step;
    uint32_t thread;
    bool held_shared, wanted_shared;
};

/* Each wants what the next one holds, the last what the first holds. */
typedef void rv_lockorder_callback(void *user, const struct rv_lock_wait *waits, uint32_t count);

struct rv_lockorder {
    struct rv_hb hb; /* without locks */
    struct rv_held held;
    struct rv_index locks;  /* by address */
    struct rv_index kinds;  /* of waits: the same but for time */
    struct rv_index cycles; /* reported */
    uint32_t lives;         /* of locks so far */
    uint64_t lowest, highest;
    rv_lockorder_callback *callback;
    void *user;
    bool exhausted;
};

bool rv_lockorder_init(struct rv_lockorder *order, const struct rv_pages *pages,
                       rv_lockorder_callback *callback, void *user);
void rv_lockorder_begin(struct rv_lockorder *order);
void rv_lockorder_step(struct rv_lockorder *order, const struct rv_step *step, uint32_t number);

#endif
