/* Which locks a thread held at some record, and since when: analysis/held.h for any moment afterwards. A thread's steps with
 * locks are replayed from the last moment at which it held none.
 */
#ifndef RV_RACES_LOCKS_H
#define RV_RACES_LOCKS_H

#include "analysis/held.h"
#include "races/trace.h"

struct rv_lock_history {
    const struct rv_trace *trace;
    uint32_t *records; /* with locks, by thread and then in order */
    uint32_t *period;  /* for each of them: the first since the thread held none */
    uint32_t *begin;   /* by thread: where its own begin; one more at the end */
    struct rv_arena arena;
};

void rv_lock_history_init(struct rv_lock_history *history, const struct rv_trace *trace);
void rv_lock_history_free(struct rv_lock_history *history);
/* What the record's thread holds before it. `holds` has room for RV_HELD_MAX, and `step` is a record. Returns their number. */
uint32_t rv_lock_history_at(struct rv_lock_history *history, uint32_t record, struct rv_lock_hold *holds);

#endif
