/* What the core's own files share; hooks use core.h only.
 *
 *   start.c     the constructor: attach to the supervisor or stay passive
 *   worker.c    executions one after the other: snapshot, restore, fork, requests, findings
 *   schedule.c  scheduling points: who can go on, who goes on, fairness, the log
 *   fiber.c     contexts, fibers, switching (switch.S)
 *   access.c    (access.h) what every memory access goes through
 *   sites.c     code locations and which of them have been in conflict
 *   shadow.c    (shadow.h) who touched which memory in this execution
 *   trace.c     events
 *   watch.c     (watch.h) what analyses are told of them; watch_done.c, watch_record.c
 *   cover.c     (cover.h) what the coverage of patterns is told of them
 *   fail.c      how an execution ends; crash.c: by a fatal signal
 *   report.c    threads, stacks and heap blocks for an outcome
 *   preempt.c   loops that pass no hook
 *   modules.c   from run-time addresses to code locations
 *   regions.c   which memory is the program's; snapshot.c takes and restores it, reserve.c is where our own lies
 */
#ifndef RV_RUNTIME_ENGINE_H
#define RV_RUNTIME_ENGINE_H

#include "runtime/core.h"
#include "strategy/strategy.h"

/* Learned over executions, also by children of a fork: in memory that they share with the parent. */
struct rv_learned {
    uint64_t new_sites;    /* conflicting sites and escaped stacks found by the execution under way */
    uint64_t new_coverage; /* ordering pairs found by it */
    uint32_t
        held_back; /* schedules beside it were left out: a spinning thread was not offered, or it crashed */
    uint32_t need_fork;           /* something happened that memory restore cannot undo */
    uint32_t contexts;            /* fibers that an execution had at the same time, at most */
    uint8_t pairs[(1 << 20) / 8]; /* ordering pairs of sites seen, hashed */
};

struct rv_engine {
    uint32_t await_weight; /* of a fruitless step that was a point: see schedule.c */
    const struct rv_strategy *strategy;
    void *state; /* the strategy's */
    struct rv_learned *learned;
    bool replaying;         /* the strategy is the replayer: points only where its runs end */
    uint32_t point_flag;    /* RV_SITE_*: plain accesses at sites with it are points */
    bool executing;         /* between begin and the end of an execution */
    bool failure_seen;      /* rv_schedule_failure has let others go first */
    unsigned request_flags; /* RV_REQUEST_* of the execution under way */
    bool sees_all_points;   /* what the strategy wants in this execution: strategy.h */
    bool names_objects;
    uint32_t patience;    /* plain accesses of the current fiber that the strategy need not be asked about */
    uint32_t stack_depth; /* calls that the strategy wants to know of each stack; 0: none */
    uint32_t alive_count; /* fibers that are not over, */
    struct rv_fiber **alive; /* ordered by id */
    uint64_t unfair;         /* fruitless when a thread that was not spinning was last passed over */
    uint64_t fruitless;      /* steps since the last one that was worth something */
    uint64_t event_hash;
    uint64_t steps_of_ended; /* of fibers that are over */
};
extern struct rv_engine rv_engine;

/* ---- schedule.c ---- */
enum { RV_MAX_THREADS = 1 << 16 };
void rv_schedule_init(void);
void rv_schedule_begin(void); /* an execution begins: the log is empty, the main fiber runs */
void rv_schedule_end(void);   /* it is over: closes the log */
/* The current fiber cannot go on any more: lets another one run, for ever. */
_Noreturn void rv_schedule_leave(void);
/* The current fiber has found a failure and will end the execution with it. Before that the others may go on if a search
 * wants to be complete: what the fiber has read since its last point may be what they would have changed. */
void rv_schedule_failure(uintptr_t pc);
/* The current fiber relies on another one's stack, or has ended the life of a part of its own, which others know. */
void rv_observe_stack(const struct rv_fiber *owner, bool ends);
/* The current fiber was about to touch this memory and must not. Who made it so is in conflict with it. */
void rv_observe_bad_access(uintptr_t address, uintptr_t pc);
/* The current fiber has done something that others can notice. */
static inline void rv_effect(struct rv_fiber *self) {
    rv.effects++;
    self->effects++;
}
/* With rv_engine.patience: passes a point of a plain access without asking. False: it must be a real one. */
bool rv_schedule_pass(struct rv_fiber *self);
/* The current fiber, in the middle of its own code at pc, lets others go first. No step is counted. */
void rv_preempt(uintptr_t pc);
/* Tells a strategy that wants to know (it has observe) of an operation that was a point and is done. */
void rv_observe(const struct rv_pending *pending, bool unchanged);
/* Tells a strategy that wants to know what the threads that are not over would have done next. */
void rv_schedule_unfinished(void);
/* Fairness: an operation, as a hash of site, object and value; weight: 0, or how much it counts as one by which threads
 * wait. */
void rv_spin_fruitless(struct rv_fiber *self, uint32_t weight);
static inline void rv_spin_note(struct rv_fiber *self, uint64_t mix, uint32_t weight) {
    mix *= 0x9e3779b97f4a7c15u;
    uint64_t *set =
        &self->seen[(mix >> 60) * 4]; /* four ways: the operations of one loop must not evict each other */
    if (set[0] != mix && set[1] != mix && set[2] != mix && set[3] != mix) {
        set[self->seen_next++ & 3] = mix;
        self->fruitless = 0;
        rv_engine.fruitless = 0;
    } else if (weight) {
        rv_spin_fruitless(self, weight);
    }
}
/* Steps after which a thread that has passed no point gets one. */
enum { RV_QUIET_LIMIT = 20000 };

/* ---- fiber.c ---- */
enum { RV_MAX_DEPTH = 1 << 15 }; /* calls kept in a fiber's frames */
void rv_switch(void **save, void *load);
void rv_fibers_init(void);      /* the main fiber; called once, at the start of the process */
bool rv_contexts_prepare(void); /* as many contexts as executions have needed; true: new ones were made */
void rv_fibers_restore(void);   /* only the main fiber, as it was at rv_fibers_snapshot */
void rv_fibers_snapshot(void);
void rv_fiber_enter(struct rv_fiber *fiber); /* switches from the current fiber to this one */
_Noreturn void rv_carrier_enter(void);       /* from a fiber to the carrier, for ever */
void rv_carrier_run_main(void); /* from the carrier to the main fiber; returns from rv_carrier_enter */
void rv_carrier_start(void (*body)(void)); /* from the main fiber to a fresh carrier that runs body */
/* The fiber whose stack, as it is used by program code, contains the address; NULL: none. Over: the fiber has ended
 * or has left the frame that the address was in. */
struct rv_fiber *rv_stack_owner(uintptr_t address, bool *over);
bool rv_in_guard(const struct rv_fiber *fiber, uintptr_t address);
void rv_stack_escape(struct rv_fiber *fiber);

/* ---- modules.c ---- */
void rv_modules_scan(void);
rv_code rv_code_of(uintptr_t address); /* scans again when the address is in no known module */
bool rv_in_runtime(uintptr_t address); /* code of libravel itself */
void rv_runtime_range(uintptr_t *start, uintptr_t *end); /* of libravel, in whole pages at the end */
bool rv_in_program(uintptr_t address); /* code of the program or its libraries, but not of libc or ld.so */

/* ---- sites.c ---- */
struct rv_site *rv_site_of_slow(uintptr_t pc);
struct rv_site_entry {
    uintptr_t pc;
    struct rv_site *site;
    uintptr_t last; /* address of the last plain access there that was no point */
    uintptr_t unused;
};
enum { RV_SITE_CACHE = 1 << 14 };
extern struct rv_site_entry *rv_site_cache;
static inline struct rv_site_entry *rv_site_entry_of(uintptr_t pc) {
    struct rv_site_entry *entry = &rv_site_cache[(pc >> 2 ^ pc >> 16) & (RV_SITE_CACHE - 1)];
    if (RV_UNLIKELY(entry->pc != pc)) (void)rv_site_of_slow(pc); /* fills the entry */
    return entry;
}
static inline struct rv_site *rv_site_of(uintptr_t pc) { return rv_site_entry_of(pc)->site; }
/* Nothing of what is executed before the first thread is recorded; that it was executed is. */
static inline void rv_site_before(uintptr_t pc) {
    if (rv.config->note && rv_engine.executing) rv_site_of(pc)->flags |= RV_SITE_BEFORE;
}
/* The same place in its other role: an operation that is a point in any case (synchronisation, atomics), about which there
 * is nothing to learn. A call can do such an operation and plain accesses, too (pthread_create stores the new id). */
#define RV_SITE_OTHER_ROLE UINT64_C(0x8000000000000155)
static inline struct rv_site *rv_site_always(uintptr_t pc) {
    return rv_site_entry_of(pc ^ RV_SITE_OTHER_ROLE)->site;
}
void rv_sites_init(void);
/* The stack of the thread with this lineage is shared. */
void rv_stack_known(uint32_t lineage);
void rv_sites_forget(void); /* which sites are in conflict, and which stacks are shared */
void rv_site_conflict(struct rv_site *site);
/* Something was learned that makes more points: a site's code, or the lineage of a thread whose stack is shared. */
void rv_learn(uint64_t what);
/* Takes over what another worker has learned. */
void rv_sites_unite(const struct rv_area *other);
/* The order first, then second, of two sites on one object, was seen. */
void rv_site_pair(const struct rv_site *first, const struct rv_site *second);

/* ---- shadow.c ---- */
void rv_shadow_init(void);
void rv_shadow_begin(void); /* a new execution: everything so far is forgotten */
/* The current fiber touches this memory now. Finds conflicts with other threads' accesses. True: its own business, as
 * far as the first bytes tell: a read of what it wrote itself, a write to what nobody else touched last. */
bool rv_shadow_access(uintptr_t address, size_t size, bool write, struct rv_site *site, uint32_t thread);

/* ---- trace.c ---- */
void rv_trace_begin(void);
/* The value written by a fiber's last write event is in memory now. */
void rv_trace_fill(struct rv_fiber *fiber);
void rv_trace_memory(struct rv_fiber *self, enum rv_op op, uintptr_t address, size_t size, uintptr_t pc,
                     uint64_t value, unsigned flags);

/* ---- fail.c ---- */
void rv_outcome_begin(void);
/* Completes counts; for whoever ends the execution. */
void rv_outcome_finish(void);
_Noreturn void rv_end_not_terminating(void);
_Noreturn void rv_end_deadlock(void);
_Noreturn void rv_end_hang(void);
/* Races have signatures of their own: of the two places (base/signature.h). */
_Noreturn void rv_fail_race(uintptr_t pc, uintptr_t address, uint64_t signature);
_Noreturn void rv_fail_at(enum rv_kind kind, uintptr_t pc, uintptr_t address, bool memory, const char *text);

/* ---- report.c ---- */
/* Where the program called the runtime, by unwinding; 0: unknown. `after`: in a signal handler, the interrupted
 * instruction: only frames beyond it count. */
uintptr_t rv_call_site(uintptr_t after);
void rv_report_threads(uintptr_t failing_site);
void rv_report_blocks(void);
/* Called by a fiber that was switched to only to report its stack; returns when it has. */
void rv_report_self(void);
extern bool rv_report_wanted;

/* ---- preempt.c ---- */
void rv_preempt_init(void);
void rv_preempt_start(void); /* again, in the child of a fork: timers are not inherited */

/* ---- crash.c ---- */
void rv_crash_init(void);

/* ---- worker.c ---- */
_Noreturn void rv_worker_unusable(void);

#endif
