/* What analyses are told of an execution: each operation as a step (analysis/step.h), from where it is done.
 *
 *   who                      | calls
 *   -------------------------+----------------------------------------------------------------------------
 *   hooks of plain accesses  | rv_watch_plain, right before the access
 *   rv_done                  | rv_watch_done: most operations are translated there (watch_done.c)
 *   the other hooks          | rv_watch, for what rv_done does not tell: orders of atomics, arrival at barriers ...
 *   schedule.c               | rv_watch_meeting, when a thread comes to a point
 *   worker.c                 | rv_watch_begin, before each execution
 *
 * The happens-before detector looks on (analysis/race_hb.h). A race that it finds is filed for the supervisor, the execution
 * goes on; but if it is the one that config.race asks for and a request is being served, the execution ends there as a
 * failure. If asked for, the steps are recorded, too, each with its call stack: for the analyses that run outside.
 *
 * Nothing here is told of what happens before the first thread is created: it happens before everything.
 */
#ifndef RV_RUNTIME_WATCH_H
#define RV_RUNTIME_WATCH_H

#include "analysis/race_hb.h"
#include "runtime/engine.h"

struct rv_watch {
    bool on;        /* in this execution */
    bool recording; /* and its steps are recorded */
    bool thorough;  /* and every access is looked at: for a recording, for one race, for all there are */
    bool over;      /* a race has been met that ends the execution: rv_watch_end */
    struct rv_race race;
};
extern struct rv_watch rv_watching;

void rv_watch_begin(bool on, bool record);
/* The execution is over: nothing more is told. */
void rv_watch_stop(void);

/* A step of the current thread. pc: the code location; order as in struct rv_step. */
void rv_watch_step(enum rv_step_kind kind, uint64_t address, uint64_t size, unsigned order, uintptr_t pc);
void rv_watch_thorough(struct rv_fiber *self, uintptr_t address, size_t size, bool write,
                       const struct rv_site *site, uintptr_t pc);
_Noreturn void rv_watch_end(uintptr_t pc);
/* watch_done.c: the steps of an operation that is done. */
void rv_watch_operation(const struct rv_pending *pending, uint64_t value, unsigned event_flags);
/* The current thread stands at its pending access: whether another one stands at the other side of config.race. */
void rv_watch_meet(const struct rv_fiber *self);
/* Races on these bytes are nobody's business. Also before the first thread. */
void rv_watch_benign(uintptr_t address, size_t size, uintptr_t pc);
/* What handlers of signals will see of the current thread: it arms a timer. */
void rv_watch_signal(uintptr_t pc);
/* The current thread has been cancelled. */
void rv_watch_cancelled(void);
/* A fiber has come into being; it begins; it ends. */
void rv_watch_created(struct rv_fiber *child);
void rv_watch_started(struct rv_fiber *self);

static inline void rv_watch(enum rv_step_kind kind, const volatile void *object, uint64_t size,
                            unsigned order, uintptr_t pc) {
    if (rv_watching.on) rv_watch_step(kind, (uint64_t)object, size, order, pc);
}

static inline void rv_watch_done(const struct rv_pending *pending, uint64_t value, unsigned event_flags) {
    if (rv_watching.on) rv_watch_operation(pending, value, event_flags);
}

static inline void rv_watch_meeting(const struct rv_fiber *self) {
    if (RV_UNLIKELY(rv.config->race) && (rv_op_flags[self->pending.op] & RV_OPF_MEMORY)) rv_watch_meet(self);
}

/* A plain access, before it is done. */
static inline __attribute__((always_inline)) void rv_watch_plain(struct rv_fiber *self, uintptr_t address,
                                                                 size_t size, bool write,
                                                                 const struct rv_site *site, uintptr_t pc) {
    if (!rv_watching.on || RV_UNLIKELY(self->ignoring)) return;
    if (RV_UNLIKELY(rv_watching.thorough)) {
        rv_watch_thorough(self, address, size, write, site, pc);
        return;
    }
    rv_race_plain(&rv_watching.race, self->clock, address, size, write, site->code, (uint32_t)self->step);
    if (RV_UNLIKELY(rv_watching.over)) rv_watch_end(pc);
}

#endif
