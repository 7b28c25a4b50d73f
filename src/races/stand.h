/* From an execution in which two accesses raced to one in which both threads stand at them at once.
 *
 * What happens before either access is kept, in the order of the execution; everything else is left out. If all that orders the
 * program's threads is in the trace, then this is an execution of the program, too, as far as what is kept does not depend on what
 * is left out through another race or through an atomic that does not order. If that execution does not exist although nothing
 * like that is there, then something orders the threads that is not in the trace: inline assembly, code without
 * instrumentation. So a race that was only inferred from the lack of order can be told from a false alarm.
 */
#ifndef RV_RACES_STAND_H
#define RV_RACES_STAND_H

#include "races/trace.h"
#include "supervisor/schedule.h"

struct rv_stand {
    uint64_t *cuts;    /* by thread: how many steps it takes; NULL: could not be found out */
    uint32_t *numbers; /* by thread: its number where fewer threads are created before it */
    uint32_t thread_count;
    /* What is kept reads what is left out: the first such read, and the last write before it that is left out. */
    bool depends;
    uint32_t write, read; /* records; write < read */
};

/* Two accesses by different threads that nothing orders: records, first < second. */
void rv_stand_find(struct rv_stand *stand, const struct rv_trace *trace, uint32_t first, uint32_t second);
/* The beginning of the execution's schedule that brings both there. */
struct rv_schedule rv_stand_schedule(const struct rv_stand *stand, const struct rv_schedule *schedule);
void rv_stand_free(struct rv_stand *stand);

#endif
