/* What coverage (analysis/coverage.h) is told of an execution, while config.coverage asks for it: accesses to memory that
 * other threads may touch, what is held at them, functions that begin.
 *
 *   who                               | calls
 *   ----------------------------------+----------------------------------------------------------------
 *   hooks of plain accesses           | rv_cover_plain, after rv_shadow_access, which knows of conflicts
 *   hooks of atomics                  | rv_cover_access: an update is a read and then a write
 *   rv_held_add, rv_held_remove       | rv_cover_held
 *   __tsan_func_entry                 | rv_cover_enter
 *   worker.c                          | rv_cover_begin, _stop, _settle: once in each execution, in this order
 *
 * A plain access counts when its site is known to be in conflict: in the execution that shows this the earlier ones are
 * missing. In the first executions, with RV_COVER_ALL, and where a request is served, every access counts that is not to the own
 * stack. An access of
 * more than 16 bytes by one call (memcpy) counts for the variable that it begins with.
 *
 * A variable is an address within an execution. Between executions it is: data, by its place in its file; a heap block, by
 * the calls that allocated it, and the offset in it; a stack, by the function whose frame it is in, and the offset there.
 * Memory that is allocated anew in an execution stays, for coverage, what it was before.
 */
#ifndef RV_RUNTIME_COVER_H
#define RV_RUNTIME_COVER_H

#include "runtime/engine.h"

struct rv_covering {
    bool on;         /* in this execution */
    bool all;        /* conflict or not */
    uint32_t joined; /* threads */
};
extern struct rv_covering rv_covering;

void rv_cover_init(void); /* once in a process, by the carrier */
void rv_cover_begin(uint64_t index);
void rv_cover_stop(void);
void rv_cover_settle(void);

void rv_cover_access(struct rv_fiber *self, uintptr_t address, size_t size, bool write,
                     const struct rv_site *site);
/* What the current thread holds has changed; released: the lock that it does not hold any more, or NULL. */
void rv_cover_held(struct rv_fiber *self, const void *released);
/* It enters the function that has this code. */
void rv_cover_enter(struct rv_fiber *self, uintptr_t entry);

static inline void rv_cover_plain(struct rv_fiber *self, uintptr_t address, size_t size, bool write,
                                  const struct rv_site *site) {
    if (RV_LIKELY(!rv_covering.on)) return;
    if ((site->flags & RV_SITE_CONFLICT) || rv_covering.all)
        rv_cover_access(self, address, size, write, site);
}

#endif
