/* The hybrid race detector: races that could happen in another schedule of what this execution did.
 *
 * Two accesses are a *potential* race if they conflict (step.h), hold no lock in common, and are not ordered by
 * anything but locks: who came first to a lock is luck. A lock held shared by both does not count as common.
 *
 *   guarantee                                             | but for
 *   ------------------------------------------------------+----------------------------------------------------------
 *   every report is a potential race                      | -
 *   never reported: a pair with a common lock, or ordered | -
 *   by creation, joining, channels, barriers, atomics     |
 *   every potential race is reported, and so every race   | pairs of sites reported before; accesses forgotten for
 *   that happened (race_hb.h)                             | newer ones (`forgotten` counts them)
 *
 * A potential race need not be possible: values, or locks that a branch depends on, may forbid it. syncp.h proves some.
 *
 * Of each granule of 8 bytes the last `keep` accesses that differ in thread, locks, site, kind or bytes are kept, 40 bytes each.
 *
 *   operation        | called                   | guarantees
 *   rv_lockset_init  | once; keep at least 1    | false: no memory
 *   rv_lockset_begin | before each execution    | all forgotten; constant time
 *   rv_lockset_step  | for every step, in order | reports come before it returns
 */
#ifndef RV_ANALYSIS_LOCKSET_H
#define RV_ANALYSIS_LOCKSET_H

#include "analysis/granules.h"
#include "analysis/held.h"
#include "analysis/race_hb.h"

enum { RV_LOCKSET_KEEP = 16 }; /* a good value for `keep` */

/* The accesses as in race_hb.h; of an access of an odd size only its part in the granule is known. */
struct rv_lockset_report {
    struct rv_race_access first, second;
    const struct rv_lockset *first_locks, *second_locks; /* good during the call */
    uint64_t address;
};
typedef void rv_lockset_callback(void *user, const struct rv_lockset_report *report);

struct rv_kept; /* an access */
struct rv_lockset_races {
    struct rv_hb hb; /* without locks */
    struct rv_held held;
    struct rv_granules granules;
    struct rv_kept *kept;
    uint32_t kept_count, kept_free;
    uint32_t keep;
    uint64_t execution;
    uint64_t forgotten; /* accesses of this execution that gave way to newer ones */
    struct rv_index pairs;
    rv_lockset_callback *callback;
    void *user;
    bool exhausted;
};

bool rv_lockset_init(struct rv_lockset_races *races, const struct rv_pages *pages, uint32_t keep,
                     rv_lockset_callback *callback, void *user);
void rv_lockset_begin(struct rv_lockset_races *races);
void rv_lockset_step(struct rv_lockset_races *races, const struct rv_step *step, uint32_t number);

#endif
