/* Deadlocks that can be proved from one recorded execution: sync-preserving deadlock prediction.
 *
 * lockorder.h finds cycles of waits that could be; here it is asked whether a reordering of the trace as in syncp.h brings
 * all threads of a cycle to their waits at once. Not only for the steps that lockorder names: for any steps of these threads,
 * statements and locks, with the same locks held.
 *
 *   guarantee                                       | but for
 *   ------------------------------------------------+-------------------------------------------------------------
 *   what is marked is such a deadlock: sound        | -
 *   for locks, creation and joining: every pattern  | locks of a cycle of three or four that are renewed between its
 *   with such a deadlock is marked: complete        | waits; patterns that lockorder does not tell of
 *
 * Time for n steps, T threads, L locks: one pass to see what each step needs, and for each pattern at most n times T L log n.
 */
#ifndef RV_ANALYSIS_SYNCP_DEADLOCK_H
#define RV_ANALYSIS_SYNCP_DEADLOCK_H

#include "analysis/lockorder.h"

struct rv_deadlock_pattern {
    struct rv_lock_wait
        waits[RV_LONGEST_CYCLE]; /* steps: numbers in the trace; those of the proof, once predicted */
    uint32_t count;
    bool predicted; /* the answer */
};

/* As rv_syncp_find_within: false if the arena or the work did not suffice; what is marked so far is right. */
bool rv_syncp_find_deadlocks(const struct rv_step *steps, uint64_t count, struct rv_arena *arena,
                             uint64_t *work, struct rv_deadlock_pattern *patterns, uint32_t pattern_count);

#endif
