/* Races that can be proved from one recorded execution: sync-preserving race prediction.
 *
 * A predicted race (i, j) is one for which a reordering of the trace exists that every such program could have done, at
 * whose end both accesses are next: each thread does a part of what it did, from its beginning; each read, plain or
 * atomic, sees the write that it saw; and sections under one lock that are left in keep their order.
 *
 *   guarantee                                           | but for
 *   ----------------------------------------------------+------------------------------------------------------------
 *   every report is such a race: sound                  | -
 *   for locks, creation and joining: every pair of      | pairs of sites reported before
 *   statements with such a race is reported: complete   |
 *   for other synchronisation: sound, not complete      | a RECEIVE needs all SENDs before it, a round of a barrier all
 *                                                       | its arrivals, memory used again its FREE, RENEW all before it
 *
 * Time for n steps, T threads, L locks: for each pair of access statements to a location without a common lock, up to n
 * times T L log n; linear in n but for the logarithm, while statements and locations stay the same. Memory: 8 n T bytes, and
 * 100 for each 8 bytes of memory that was accessed or allocated.
 */
#ifndef RV_ANALYSIS_SYNCP_H
#define RV_ANALYSIS_SYNCP_H

#include "analysis/step.h"
#include "base/arena.h"

/* Numbers of steps, in the order of the trace. */
typedef void rv_syncp_callback(void *user, uint32_t first, uint32_t second);

/* Calls back once for each unordered pair of sites with a race. Uses the arena and leaves it as it was. False: the arena is too
 * small, or there are 2^32 steps; what was reported so far is right. */
bool rv_syncp_find(const struct rv_step *steps, uint64_t count, struct rv_arena *arena,
                   rv_syncp_callback *callback, void *user);
/* The same, but gives up (false, *work is 0) when so much work was done: a unit is about a nanosecond. */
bool rv_syncp_find_within(const struct rv_step *steps, uint64_t count, struct rv_arena *arena, uint64_t *work,
                          rv_syncp_callback *callback, void *user);

#endif
