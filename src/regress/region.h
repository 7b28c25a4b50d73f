/* What a lock guards: the statements between where it is taken and where it is released, in whatever function they are.
 *
 * From a statement that takes a lock forwards, and from one that releases it backwards, along all paths, until one that
 * releases or takes the same lock (or calls a function that does just that). What is called in between belongs to it, with all
 * that this calls; where a function ends before the lock is released, its callers go on. Of what is not known, more is taken.
 *
 * Locks are mutexes, rwlocks, spinlocks, and semaphores, which can be used as such. A join, a barrier or a once have no end: all
 * that comes after them belongs to them. Waiting for conditions and signals to them guard nothing. */
#ifndef RV_REGRESS_REGION_H
#define RV_REGRESS_REGION_H

#include "regress/version.h"

enum rv_sync_sort { RV_SYNC_OTHER, RV_SYNC_TAKES, RV_SYNC_RELEASES, RV_SYNC_ORDERS };
enum rv_sync_sort rv_sync_sort(const char *kind);

/* Whether the statement takes or releases a lock, or orders threads: itself, or by a function that does just that. */
bool rv_is_synchronising(const struct rv_version *version, uint32_t statement);
/* What the statement guards, by statement: places of region[] that are 0 become `mark`. */
void rv_region_add(const struct rv_version *version, uint32_t statement, uint32_t mark, uint32_t *region);

#endif
