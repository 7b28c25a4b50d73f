/* Scheduling points: who can go on, who does, and what is written down about it.
 *
 * Nothing is queued. At each point the fibers that are not over are asked, in the order of their numbers:
 * a fiber can go on if its pending operation has no predicate or the predicate holds, if a cancellation or a
 * signal handler wants to run, or if its time may run out (a candidate of its own). The strategy picks; the
 * log gets a run when the picked thread is not the one that ran.
 *
 * Steps and points. A fiber's step counter counts every hook it passes; a point is where the strategy may
 * switch. The log speaks of steps, so that it means the same when other steps are points. While an operation is
 * pending, `step` is the number of hooks behind the fiber; it moves on when the operation is allowed.
 *
 * Fairness. A thread that waits by looking again and again must not keep the others from what it waits for.
 * An operation is reduced to a hash of site, object and value. If the hash is new for the thread, that is progress. If not,
 * and the operation is one by which threads wait (a read of what others write, an attempt that failed, a yield, a sleep),
 * the step is fruitless. All others are neutral: successful locks and unlocks, and plain accesses to memory that the
 * thread itself wrote last (a loop may count its rounds). SPIN_LIMIT fruitless steps without progress make the thread *spinning*: it counts as having
 * yielded, and is not offered to the strategy until another thread has had an effect, or HOLD_LIMIT points have
 * passed, as long as anybody else can go on. If only spinning threads are left, they go on in turn, without asking the strategy: a bounded spin
 * ends that way. After HANG_LIMIT fruitless steps of all threads together, without one that was
 * new, the program hangs: nothing can come any more but a counter in a register. The log of such a tail is left
 * out from LOG_PATIENCE on: whoever replays the beginning gets into the same tail by the default policy.
 * For searches up to equivalence, which go through all the places where a loop could end, a fruitless step weighs AWAIT_WEIGHT if
 * it was a point: eight of them (reads of what others have written, failed attempts) stand for all that may follow.
 * Stretches that look fruitful are bounded, too: QUIET_LIMIT steps without a point, or ROW_LIMIT points in a row
 * at which a thread went on although others could have, count as a yield.
 */
#include "runtime/engine.h"

#include "runtime/cover.h"
#include "runtime/events.h"
#include "runtime/hooks/outside.h"
#include "runtime/hooks/threads.h"
#include "runtime/hooks/sync.h"
#include "runtime/names.h"
#include "runtime/reserve.h"
#include "runtime/watch.h"

enum {
    SPIN_LIMIT = 24,
    AWAIT_WEIGHT = 3,
    HANG_LIMIT = 200000,
    ROW_LIMIT = 2000,
    LOG_PATIENCE = 2000,
    TURN = 32,
    HOLD_LIMIT = 500
};

struct rv_runtime rv;
struct rv_engine rv_engine;

static struct rv_candidate *candidates; /* two for each thread at most */
static uint64_t fruitful_points;        /* what max_steps bounds */
static uint32_t last_thread;            /* of the log's last run */
static bool log_suspended;              /* a fruitless tail is not logged */
static bool any_could_go;               /* some thread could have gone on without a time-out */
static bool last_could_go;              /* the thread that ran could have gone on at the point under way */

/* ---- the log ---- */

void rv_schedule_init(void) {
    candidates = rv_reserve(2 * RV_MAX_THREADS * sizeof *candidates);
    if (!candidates) rv_unusable("no memory for the scheduler");
}

void rv_schedule_begin(void) {
    struct rv_outcome *outcome = &rv.area->outcome;
    rv.area->log_runs[0] = (struct rv_run){.thread = 0, .until = UINT64_MAX};
    outcome->run_count = 1;
    outcome->choice_count = 0;
    last_thread = 0;
    rv.points = 0;
    rv.effects = 0;
    fruitful_points = 0;
    log_suspended = false;
    rv_engine.await_weight = rv_engine.names_objects ? AWAIT_WEIGHT : 1;
    rv_engine.fruitless = 0;
    rv_engine.unfair = 0;
    rv_engine.failure_seen = false;
    rv_engine.patience = 0;
    rv_engine.learned->held_back = 0;
    rv_engine.event_hash = 0;
    rv_engine.steps_of_ended = 0;
}

static void log_run(const struct rv_fiber *from, const struct rv_candidate *next) {
    struct rv_outcome *outcome = &rv.area->outcome;
    uint64_t count = outcome->run_count;
    if (count >= RV_MAX_RUNS) {
        outcome->log_overflow = 1;
        return;
    }
    if (!log_suspended) rv.area->log_runs[count - 1].until = from->step;
    if (rv_engine.fruitless > LOG_PATIENCE) {
        log_suspended = true;
        return;
    }
    if (log_suspended) outcome->log_overflow = 1; /* something came of it after all */
    last_thread = next->thread;
    rv.area->log_runs[count] = (struct rv_run){
        .thread = next->thread, .flags = next->timeout ? RV_RUN_TIMEOUT : 0, .until = UINT64_MAX};
    outcome->run_count = count + 1;
}

/* The last run ends where its thread stands: from there on the default policy holds, which stays with the thread, but
 * is fair. */
void rv_schedule_end(void) {
    struct rv_outcome *outcome = &rv.area->outcome;
    if (outcome->run_count && !log_suspended && !outcome->log_overflow)
        rv.area->log_runs[outcome->run_count - 1].until = rv.fibers[last_thread]->step;
}

uint32_t rv_choose(uint32_t n) {
    if (n <= 1 || rv.mode != RV_CONTROLLED) return 0;
    uint32_t choice = rv_engine.strategy->choose(rv_engine.state, n);
    struct rv_outcome *outcome = &rv.area->outcome;
    if (outcome->choice_count >= RV_MAX_CHOICES || choice > 255)
        outcome->log_overflow = 1;
    else
        rv.area->log_choices[outcome->choice_count++] = (uint8_t)choice;
    return choice;
}

/* ---- who can go on ---- */

static bool has_deliverable_signal(struct rv_fiber *fiber) {
    uint64_t allowed = ~rv_signal_mask(fiber) & ~(uint64_t)1;
    if (fiber->pending.op == RV_OP_SIGWAIT && fiber->pending.data)
        allowed &= ~*(uint64_t *)fiber->pending.data;
    return rv_signal_available(fiber, allowed);
}

static bool can_go(struct rv_fiber *fiber) {
    const struct rv_pending *pending = &fiber->pending;
    if (!pending->ready || pending->ready(fiber)) return true;
    if (fiber->cancel_pending && (pending->cancellable || fiber->cancel_async) && rv_sync_cancelled(fiber))
        return true;
    return fiber->signals_pending && has_deliverable_signal(fiber);
}

/* ---- fairness ---- */

void rv_spin_fruitless(struct rv_fiber *self, uint32_t weight) {
    self->fruitless += weight;
    if (self->fruitless >= SPIN_LIMIT && !self->spinning) {
        self->spinning = true;
        self->spin_effects = rv.effects - self->effects;
    }
    if (++rv_engine.fruitless > HANG_LIMIT && rv.mode == RV_CONTROLLED) {
        if (rv_engine.unfair > HANG_LIMIT / 2)
            rv_end_not_terminating(); /* the schedule's fault, not the program's */
        rv_end_hang();
    }
}

static bool still_spinning(struct rv_fiber *fiber) {
    if (!fiber->held_since) fiber->held_since = rv.points;
    bool nothing_new = fiber->spin_effects == rv.effects - fiber->effects;
    if (nothing_new && rv.points - fiber->held_since < HOLD_LIMIT) return true;
    fiber->held_since = 0;
    fiber->spinning = false;
    fiber->fruitless = SPIN_LIMIT / 2; /* it is soon back if the effect was not what it waits for */
    return false;
}

static void fill_candidate(struct rv_candidate *candidate, const struct rv_fiber *fiber, bool timeout) {
    const struct rv_pending *pending = &fiber->pending;
    /* A waiter that was woken looks at nothing but that. */
    bool woken = pending->by_wake && fiber->woken;
    unsigned flags = woken ? RV_OPF_SYNC | RV_OPF_BLOCKS : rv_op_flags[pending->op];
    bool never_waits = pending->deadline != RV_FOREVER && rv.config->timing == RV_TIMING_FREE;
    if (never_waits || !pending->ready) flags &= ~(unsigned)RV_OPF_BLOCKS;
    *candidate = (struct rv_candidate){
        .thread = fiber->id,
        .lineage = fiber->lineage,
        .timeout = timeout,
        .spinning = fiber->spinning,
        .step = fiber->step,
        .context = fiber->context_hash,
        .frames = fiber->context_frames,
        .frame_count = fiber->context_count,
        .next = {.op = (uint16_t)pending->op,
                 .flags = (uint16_t)flags,
                 .size = pending->size,
                 .object = woken ? rv_wake_name(fiber) : rv_object_name(pending->op, pending->object),
                 .other = pending->other && !woken ? rv_object_name(pending->op, pending->other) : 0,
                 .site = fiber->site ? fiber->site->code : 0,
                 .room = RV_ROOM_ANY},
    };
}

struct choice {
    uint32_t count;
    uint32_t held_back;            /* spinning threads left out */
    const struct rv_site *held_at; /* where the first of them stands */
    uint32_t timeouts;
    int32_t current_index;
};

static struct choice list_candidates(const struct rv_fiber *current, bool with_spinning) {
    struct choice choice = {.current_index = -1};
    bool free_timing = rv.config->timing == RV_TIMING_FREE;
    for (uint32_t i = 0; i < rv_engine.alive_count; i++) {
        struct rv_fiber *fiber = rv_engine.alive[i];
        bool ready = can_go(fiber);
        bool timeout =
            fiber->pending.deadline != RV_FOREVER && (free_timing || fiber->pending.deadline <= rv.now);
        if (RV_UNLIKELY(fiber->spinning) && still_spinning(fiber) && !with_spinning) {
            if (!choice.held_back && (ready || timeout)) choice.held_at = fiber->site;
            choice.held_back += ready || timeout;
            continue;
        }
        if (ready) {
            if (fiber == current) choice.current_index = (int32_t)choice.count;
            fill_candidate(&candidates[choice.count++], fiber, false);
        }
        if (timeout) {
            choice.timeouts++;
            fill_candidate(&candidates[choice.count++], fiber, true);
        }
    }
    return choice;
}

/* Strict timing, nothing else can go on: those whose time runs out first. */
static uint32_t list_earliest(uint32_t count) {
    int64_t earliest = RV_FOREVER;
    for (uint32_t i = 0; i < rv_engine.alive_count; i++)
        if (rv_engine.alive[i]->pending.deadline < earliest) earliest = rv_engine.alive[i]->pending.deadline;
    if (earliest == RV_FOREVER) return count;
    for (uint32_t i = 0; i < rv_engine.alive_count; i++)
        if (rv_engine.alive[i]->pending.deadline == earliest)
            fill_candidate(&candidates[count++], rv_engine.alive[i], true);
    return count;
}

static bool any_external(void) {
    for (uint32_t i = 0; i < rv_engine.alive_count; i++)
        if (rv_engine.alive[i]->pending.external) return true;
    return false;
}

/* Lets virtual time pass to the next timer; false: none is armed. */
static bool next_timer(void) {
    int64_t next = rv_timers_next();
    if (next == RV_FOREVER) return false;
    if (rv.now < next) rv.now = next;
    rv_timers_check();
    return true;
}

/* Nobody can go on: a timer, the outside world, or a deadlock. */
static void wait_for_anything(void) {
    if (next_timer()) return;
    if (any_external() && rv_io_wait()) return;
    if (rv_signals_collect()) return;
    rv_end_deadlock();
}

/* ---- the pick ---- */

/* Only spinning threads are left: each goes on for TURN steps. */
static uint32_t next_in_turn(const struct choice *choice, const struct rv_fiber *current) {
    if (choice->current_index >= 0 && rv_engine.fruitless % TURN) return (uint32_t)choice->current_index;
    for (uint32_t i = 0; i < choice->count; i++)
        if (candidates[i].thread > current->id) return i;
    return 0;
}

/* In a fruitless tail: notes whether a thread that might have ended it was passed over. */
static void watch_fairness(uint32_t count, uint32_t chosen) {
    if (rv_engine.fruitless < LOG_PATIENCE) {
        rv_engine.unfair = 0;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        if (candidates[i].thread != candidates[chosen].thread &&
            rv.fibers[candidates[i].thread]->fruitless < SPIN_LIMIT / 2)
            rv_engine.unfair = rv_engine.fruitless;
}

static uint32_t ask_strategy(struct rv_fiber *current, const struct choice *choice) {
    const struct rv_strategy *strategy = rv_engine.strategy;
    if (choice->count == 1 && !rv_engine.sees_all_points) return 0;
    struct rv_point point = {
        .candidates = candidates,
        .count = choice->count,
        .current = current->id,
        .current_index = choice->current_index,
        .yielded = current->yielded && choice->current_index >= 0,
        .number = rv.points,
        .unused = rv_engine.patience,
    };
    rv_engine.patience = 0;
    if (rv.mode != RV_CONTROLLED) return rv_default_pick(&point);
    uint32_t chosen = strategy->pick(rv_engine.state, &point);
    if (strategy->patience && (int32_t)chosen == choice->current_index && !rv.config->race)
        rv_engine.patience = strategy->patience(rv_engine.state);
    if (RV_UNLIKELY(rv_engine.fruitless)) watch_fairness(choice->count, chosen);
    return chosen;
}

static void note_held_back(const struct rv_site *site) {
    rv_engine.learned->held_back = 1;
    if (RV_UNLIKELY(!rv.area->control.held_at && site)) rv.area->control.held_at = site->code;
}

static uint32_t pick(struct rv_fiber *current) {
    bool want_spinning = rv_engine.strategy->sees_spinning || rv_engine.replaying;
    for (;;) {
        rv_plan_look();
        struct choice choice = list_candidates(current, want_spinning);
        if (choice.count && choice.held_back) note_held_back(choice.held_at);
        if (!choice.count && rv.config->timing == RV_TIMING_STRICT)
            choice.count = choice.timeouts = list_earliest(0);
        last_could_go = choice.current_index >= 0;
        any_could_go = choice.count > choice.timeouts;
        if (choice.count) return ask_strategy(current, &choice);
        if (choice.held_back) {
            if (rv_engine.fruitless % TURN == 0 && next_timer()) rv.effects++;
            choice = list_candidates(current, true);
            return next_in_turn(&choice, current);
        }
        wait_for_anything();
    }
}

static void count_switch(const struct rv_fiber *from, const struct rv_candidate *next) {
    struct rv_outcome *outcome = &rv.area->outcome;
    if (next->timeout && any_could_go) {
        outcome->timeouts++;
        uint64_t length = (uint64_t)rv.fibers[next->thread]->pending.timeout;
        if (length > outcome->timeout_ns && length != UINT64_MAX) outcome->timeout_ns = length;
    }
    if (next->thread == from->id) return;
    outcome->switches++;
    if (last_could_go && !from->yielded) outcome->preemptions++;
}

/* Carries the choice out: returns on the picked fiber's stack, in whatever point it had stopped. */
static void go_on_with(struct rv_fiber *from, uint32_t index) {
    struct rv_candidate *next = &candidates[index];
    struct rv_fiber *fiber = rv.fibers[next->thread];
    if (fiber != from || next->timeout) {
        if (rv.mode == RV_CONTROLLED) {
            count_switch(from, next);
            log_run(from, next);
        }
        from->row = 0;
    } else if (from->yielded) {
        from->row = 0;
    } else {
        from->row++;
    }
    from->yielded = false;
    if (next->timeout) {
        fiber->timed_out = true;
        if (rv.now < fiber->pending.deadline) rv.now = fiber->pending.deadline;
    }
    fiber->stop_at = fiber->step + RV_QUIET_LIMIT;
    if (rv_engine.replaying) {
        uint64_t wanted = rv_replay_stop_at(rv_engine.state, fiber->id);
        if (wanted < fiber->stop_at) fiber->stop_at = wanted;
    }
    if (fiber != from) rv_fiber_enter(fiber);
}

bool rv_schedule_pass(struct rv_fiber *self) {
    if (self->signals_pending || self->cancel_pending || self->row > ROW_LIMIT ||
        fruitful_points >= rv.config->max_steps)
        return false;
    rv_engine.patience--;
    rv.points++;
    rv.area->control.heartbeat++;
    fruitful_points += rv_engine.fruitless < SPIN_LIMIT;
    self->quiet_since = self->step;
    self->row++;
    return true;
}

static void point(struct rv_fiber *self) {
    rv.points++;
    rv.area->control.heartbeat++;
    if (rv_engine.fruitless < SPIN_LIMIT && ++fruitful_points > rv.config->max_steps &&
        rv.mode == RV_CONTROLLED)
        rv_end_not_terminating();
    if (RV_UNLIKELY(self->unfilled)) rv_trace_fill(self);
    rv_watch_meeting(self);
    bool quiet = self->step - self->quiet_since >= RV_QUIET_LIMIT;
    if (quiet || (rv_op_flags[self->pending.op] & RV_OPF_YIELD) || self->spinning || self->row > ROW_LIMIT)
        self->yielded = true;
    self->quiet_since = self->step;
    go_on_with(self, pick(self));
    while (RV_UNLIKELY(rv_report_wanted)) rv_report_self();
}

void rv_preempt(uintptr_t pc) {
    struct rv_fiber *self = rv.current;
    struct rv_pending interrupted = self->pending;
    const struct rv_site *site = self->site;
    self->pending = RV_PENDING(RV_OP_YIELD, NULL, pc);
    self->site = rv_site_of(pc);
    self->yielded = true;
    go_on_with(self, pick(self));
    while (RV_UNLIKELY(rv_report_wanted)) rv_report_self();
    if (RV_UNLIKELY(self->cancel_async) && rv_sync_cancelled(self)) rv_cancel_act();
    self->pending = interrupted;
    self->site = site;
}

void rv_schedule_failure(uintptr_t pc) {
    if (rv.mode != RV_CONTROLLED || rv.internal) return;
    rv_engine.failure_seen = true;
    /* For those that never speak of completeness it would only be one more choice. */
    if (!rv_engine.strategy->complete && !rv_engine.replaying) return;
    struct rv_fiber *self = rv.current;
    if (RV_UNLIKELY(self->unfilled)) rv_trace_fill(self);
    self->pending = RV_PENDING(RV_OP_NONE, NULL, pc);
    self->site = rv_site_of(pc);
    go_on_with(self, pick(self));
    while (RV_UNLIKELY(rv_report_wanted)) rv_report_self();
    self->step++;
}

/* A part of the operation that is under way. */
static void observe_part(enum rv_op op, unsigned flags, uint64_t object, uint32_t size, uint8_t room) {
    if (rv.mode != RV_CONTROLLED || !rv_engine.strategy->observe) return;
    struct rv_operation done = {
        .op = (uint16_t)op, .flags = (uint16_t)flags, .size = size, .object = object, .room = room};
    rv_engine.strategy->observe(rv_engine.state, rv.current->id, &done);
}

void rv_observe_stack(const struct rv_fiber *owner, bool ends) {
    if (rv.mode != RV_CONTROLLED || rv.internal || !rv_engine.names_objects) return;
    observe_part(RV_OP_POINT, ends ? RV_OPF_WRITE : 0, rv_stack_name(owner), 1, RV_ROOM_ANY);
}

void rv_observe_bad_access(uintptr_t address, uintptr_t pc) {
    if (rv.mode != RV_CONTROLLED || rv.internal || rv_engine.failure_seen) return;
    (void)rv_shadow_access(address, 1, false, rv_site_of(pc), rv.current->id);
    observe_part(RV_OP_POINT, RV_OPF_MEMORY, rv_object_name(RV_OP_READ, (const void *)address), 1,
                 RV_ROOM_ANY);
}

_Noreturn void rv_schedule_leave(void) {
    struct rv_fiber *self = rv.current;
    self->yielded = false;
    if (RV_UNLIKELY(self->unfilled)) rv_trace_fill(self);
    if (rv.mode == RV_CONTROLLED && ++fruitful_points > rv.config->max_steps) rv_end_not_terminating();
    go_on_with(self, pick(self));
    __builtin_unreachable();
}

/* ---- one operation ---- */

/* Before the first thread, and where nobody steers: the operation itself decides. */
static void single(struct rv_fiber *self) {
    for (rv_plan_look(); !can_go(self); rv_plan_look()) {
        if (self->pending.deadline != RV_FOREVER) {
            self->timed_out = true;
            if (rv.now < self->pending.deadline) rv.now = self->pending.deadline;
            return;
        }
        wait_for_anything();
    }
}

static void note_operation(const struct rv_fiber *self) {
    const struct rv_pending *pending = &self->pending;
    uint64_t word = self->step * 0x9e3779b97f4a7c15u ^ ((uint64_t)self->id << 32 | (uint64_t)pending->op);
    if (self->site) word ^= self->site->code * 0xbf58476d1ce4e5b9u;
    rv_engine.event_hash = (rv_engine.event_hash ^ word) * 0x94d049bb133111ebu + (word >> 29);
}

enum rv_wake rv_schedule(const struct rv_pending *pending) {
    struct rv_fiber *self = rv.current;
    self->pending = *pending;
    bool controlled = rv.mode == RV_CONTROLLED;
    bool memory = rv_op_flags[pending->op] & RV_OPF_MEMORY;
    if (!memory || controlled) self->site = pending->site ? rv_site_of(pending->site) : NULL;
    if (controlled && !memory) note_operation(self);
    if (rv.mode == RV_SINGLE && pending->site) rv_site_before(pending->site);
    if (RV_UNLIKELY(rv_engine.stack_depth)) rv_name_context(self);
    for (;;) {
        if (rv.mode == RV_SINGLE)
            single(self);
        else
            point(self);
        bool handled = false;
        if (RV_UNLIKELY(self->signals_pending)) {
            bool expired = self->timed_out;
            handled = rv_signals_run();
            self->timed_out = expired;
        }
        if (RV_UNLIKELY(self->cancel_pending) && (pending->cancellable || self->cancel_async) &&
            rv_sync_cancelled(self))
            rv_cancel_act();
        bool ready = !pending->ready || pending->ready(self);
        if (!ready && !self->timed_out && !(handled && pending->interruptible)) continue;
        self->step++;
        bool expired = self->timed_out;
        if (expired || (rv_op_flags[pending->op] & RV_OPF_YIELD))
            rv_spin_note(self, pending->site, rv_engine.await_weight);
        self->timed_out = false;
        if (expired) rv_observe_clock(RV_CLOCK_MOVE);
        if (expired) return RV_TIMEOUT;
        return ready ? RV_GO : RV_SIGNAL;
    }
}

void rv_observe(const struct rv_pending *pending, bool unchanged) {
    struct rv_operation done = {
        .op = (uint16_t)pending->op,
        .flags = rv_op_flags[pending->op],
        .size = pending->size,
        .object = rv_object_name(pending->op, pending->object),
        .site = pending->site ? rv_site_of(pending->site)->code : 0,
        .room = pending->room,
        .unchanged = unchanged,
    };
    rv_engine.strategy->observe(rv_engine.state, rv.current->id, &done);
}

void rv_observe_wake(const struct rv_fiber *woken) {
    observe_part(RV_OP_COND_SIGNAL, RV_OPF_SYNC | RV_OPF_WRITE, rv_wake_name(woken), 1, RV_ROOM_NONE);
}

void rv_observe_also(enum rv_op op, const void *object, uint8_t room) {
    if (rv.mode != RV_CONTROLLED) return;
    observe_part(op, rv_op_flags[op], rv_object_name(op, object), 1, room);
}

void rv_observe_look(enum rv_op op, const void *object) {
    if (rv.mode != RV_CONTROLLED) return;
    observe_part(op, rv_op_flags[op] & ~(unsigned)RV_OPF_WRITE, rv_object_name(op, object), 1, RV_ROOM_ANY);
}

void rv_observe_joinable(const struct rv_fiber *target) {
    if (rv.mode != RV_CONTROLLED || !rv_engine.names_objects) return;
    observe_part(RV_OP_POINT, RV_OPF_WRITE, rv_object_name(RV_OP_JOIN, rv_thread_object(target)) + 1, 1,
                 RV_ROOM_ANY);
}

/* The clock is a row of bytes that stands for who looks at it. What a program reads off it tells the order of everything, so
 * that is a write to all bytes. What moves it, the end of a wait, is a read of all: two such moves commute, for the later
 * time stays. A look that only decides how long to wait is a write to a byte of its thread's: two such looks commute, too. */
void rv_observe_clock(enum rv_clock_use use) {
    if (rv.mode != RV_CONTROLLED || !rv_engine.names_objects) return;
    unsigned flags = RV_OPF_MEMORY | (use == RV_CLOCK_MOVE ? 0 : RV_OPF_WRITE);
    uint64_t clock = RV_CLOCK_NAME;
    if (use == RV_CLOCK_READ_TO_WAIT) clock += rv.current->lineage % RV_CLOCK_BYTES;
    observe_part(RV_OP_POINT, flags, clock, use == RV_CLOCK_READ_TO_WAIT ? 1 : RV_CLOCK_BYTES, RV_ROOM_ANY);
}

/* An attempt that failed has changed nothing, except that who waited for a wake-up is no waiter any more. */
static bool left_unchanged(const struct rv_pending *pending, unsigned event_flags) {
    return (event_flags & RV_EVENT_LOOKED) || ((event_flags & RV_EVENT_FAILED) && !pending->by_wake);
}

void rv_schedule_unfinished(void) {
    if (rv.mode != RV_CONTROLLED || !rv_engine.strategy->unfinished) return;
    uint32_t count = 0;
    for (uint32_t i = 0; i < rv_engine.alive_count; i++) {
        const struct rv_fiber *fiber = rv_engine.alive[i];
        bool only_by_wake = fiber->pending.by_wake && !fiber->woken && fiber->pending.deadline == RV_FOREVER;
        if (!only_by_wake) fill_candidate(&candidates[count++], fiber, false);
    }
    rv_engine.strategy->unfinished(rv_engine.state, candidates, count);
}

void rv_done(const struct rv_pending *pending, uint64_t value, unsigned event_flags) {
    struct rv_fiber *self = rv.current;
    unsigned flags = rv_op_flags[pending->op];
    rv_watch_done(pending, value, event_flags);
    if (RV_UNLIKELY(rv_covering.on) && pending->op == RV_OP_JOIN && !(event_flags & RV_EVENT_FAILED))
        rv_covering.joined++;
    if (event_flags & RV_EVENT_LOOKED) flags &= ~(unsigned)RV_OPF_WRITE;
    if (rv.mode == RV_CONTROLLED) {
        if (!(flags & RV_OPF_MEMORY)) {
            rv_spin_note(self, (uint64_t)pending->object * 31 + pending->site + value * 7 + pending->op,
                         event_flags & (RV_EVENT_FAILED | RV_EVENT_TIMEOUT) ? rv_engine.await_weight : 0);
            if ((flags & RV_OPF_WRITE) && !(event_flags & RV_EVENT_FAILED)) rv_effect(self);
            if (pending->object && !(flags & RV_OPF_IO) && pending->site)
                (void)rv_shadow_access((uintptr_t)pending->object, 1, flags & RV_OPF_WRITE,
                                       rv_site_always(pending->site), self->id);
        }
        bool woken = pending->by_wake && !(event_flags & RV_EVENT_FAILED);
        if (rv_engine.strategy->observe && !(flags & RV_OPF_MEMORY) && !woken)
            rv_observe(pending, left_unchanged(pending, event_flags));
    }
    if (rv.tracing)
        rv_trace_memory(self, pending->op, (uintptr_t)pending->object, pending->size, pending->site, value,
                        event_flags & ~(unsigned)RV_EVENT_LOOKED);
}
