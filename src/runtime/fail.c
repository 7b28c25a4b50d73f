/* How an execution ends, and what is written down about it.
 *
 * Every way to the end is a function here that fills the outcome and then leaves the fiber's stack for ever
 * (rv_worker_execution_over). What made it fail is told apart by the signature: the kind and where in the program.
 */
#include "runtime/engine.h"

#include <stdarg.h>
#include <stdio.h>

#include "runtime/events.h"
#include "runtime/heap.h"
#include "runtime/hooks/outside.h"
#include "runtime/worker.h"

void rv_outcome_begin(void) {
    struct rv_outcome *outcome = &rv.area->outcome;
    memset(outcome, 0, sizeof *outcome);
    outcome->exit_status = -1;
    outcome->thread = RV_NO_THREAD;
}

void rv_outcome_finish(void) {
    struct rv_outcome *outcome = &rv.area->outcome;
    rv_schedule_end();
    outcome->points = rv.points;
    outcome->threads = rv.fiber_count;
    outcome->steps = rv_engine.steps_of_ended;
    for (uint32_t i = 0; i < rv_engine.alive_count; i++) outcome->steps += rv_engine.alive[i]->step;
    outcome->event_hash = rv_engine.event_hash ^ outcome->steps;
    outcome->learned = rv_engine.learned->new_sites;
    if (rv_engine.replaying) outcome->deviations = rv_replay_deviations(rv_engine.state);
}

static uint64_t fold(uint64_t signature, uint64_t word) {
    signature = (signature ^ word) * 0x9e3779b97f4a7c15u;
    return signature ^ signature >> 32;
}

/* The innermost code of the program itself: where the user will look. */
static rv_code program_place(uintptr_t pc, const struct rv_fiber *fiber) {
    if (pc && !rv_in_runtime(pc)) {
        rv_code code = rv_code_of(pc);
        if (code != RV_CODE_UNKNOWN && rv_code_module(code) == 0) return code;
    }
    for (uint32_t i = fiber->depth; i-- > 0;) {
        rv_code code = rv_code_of(fiber->frames[i].pc);
        if (code != RV_CODE_UNKNOWN) return code;
    }
    return pc ? rv_code_of(pc) : 0;
}

static void set_message(const char *format, va_list arguments) {
    rv.internal++;
    (void)vsnprintf(rv.area->outcome.message, RV_MAX_MESSAGE, format, arguments);
    rv.internal--;
}

static _Noreturn void fail(enum rv_kind kind, uintptr_t pc) {
    struct rv_outcome *outcome = &rv.area->outcome;
    outcome->kind = kind;
    if (rv.mode == RV_DETACHED)
        rv_sys_exit_group(134); /* a child that the program forked: nobody records it */
    /* A crash cannot wait for others: what they would have done beside its last reads is not seen. */
    bool at_once = outcome->thread != RV_NO_THREAD && !rv_engine.failure_seen && rv_engine.alive_count > 1;
    if (at_once && rv.mode == RV_CONTROLLED) rv_engine.learned->held_back = 1;
    if (outcome->thread != RV_NO_THREAD && kind != RV_KIND_RACE) {
        /* Where in its loop the watchdog meets a thread is chance: only where the loop's function was called counts. */
        uintptr_t place = kind == RV_KIND_HANG ? 0 : pc;
        outcome->signature = fold(fold(1, kind), program_place(place, rv.current));
    }
    if (rv.current->unfilled) rv_trace_fill(rv.current);
    if (rv_engine.request_flags & RV_REQUEST_TRAP) __asm__ volatile("int3");
    if (rv_engine.request_flags & RV_REQUEST_STACKS) rv_report_threads(pc);
    rv_worker_execution_over();
}

/* Where the current thread called the hook that found the failure. */
static uintptr_t current_site(void) {
    uintptr_t site = rv_call_site(0);
    return site ? site : rv.current->pending.site;
}

static void about_memory(uintptr_t address) {
    struct rv_outcome *outcome = &rv.area->outcome;
    outcome->address = address;
    if (rv_heap_contains(address)) outcome->block = rv_heap_number(address, &outcome->block_offset);
}

/* Found in the middle of an operation: the others come first here, too, as far as a search wants that. What the thread
 * was about to do belongs to what it did last: in another order of the two it may not fail. */
static void let_others_go_on(void) {
    struct rv_fiber *self = rv.current;
    if (rv_engine.failure_seen || rv.mode != RV_CONTROLLED || rv.internal) return;
    struct rv_pending interrupted = self->pending;
    const struct rv_site *site = self->site;
    if (interrupted.object && rv_engine.strategy->observe) rv_observe(&interrupted, true);
    rv_schedule_failure(interrupted.site);
    self->pending = interrupted;
    self->site = site;
}

_Noreturn void rv_fail(enum rv_kind kind, const char *format, ...) {
    let_others_go_on();
    va_list arguments;
    va_start(arguments, format);
    set_message(format, arguments);
    va_end(arguments);
    rv.area->outcome.thread = rv.current->id;
    fail(kind, current_site());
}

_Noreturn void rv_fail_memory(enum rv_kind kind, uintptr_t address, const char *format, ...) {
    rv_observe_bad_access(address, rv.current->pending.site);
    let_others_go_on();
    va_list arguments;
    va_start(arguments, format);
    set_message(format, arguments);
    va_end(arguments);
    rv.area->outcome.thread = rv.current->id;
    about_memory(address);
    fail(kind, current_site());
}

_Noreturn void rv_fail_at(enum rv_kind kind, uintptr_t pc, uintptr_t address, bool memory, const char *text) {
    struct rv_outcome *outcome = &rv.area->outcome;
    size_t size = strlen(text);
    if (size > RV_MAX_MESSAGE - 1) size = RV_MAX_MESSAGE - 1;
    memcpy(outcome->message, text, size);
    outcome->message[size] = 0;
    outcome->thread = rv.current->id;
    if (memory) {
        about_memory(address);
        outcome->fault_address = address;
        outcome->fault_address_valid = 1;
    }
    fail(kind, pc);
}

_Noreturn void rv_fail_race(uintptr_t pc, uintptr_t address, uint64_t signature) {
    static const char text[] =
        "two threads touch the same memory, one of them writes, and nothing orders them";
    struct rv_outcome *outcome = &rv.area->outcome;
    memcpy(outcome->message, text, sizeof text);
    outcome->thread = rv.current->id;
    outcome->signature = signature;
    about_memory(address);
    fail(RV_KIND_RACE, pc);
}

/* Failures of all threads together: the places where they stand, in any order. Where in its loop a thread that repeats
 * itself is seen is chance: only_blocked leaves such threads out. */
static uint64_t signature_of_all(enum rv_kind kind, bool only_blocked) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < rv_engine.alive_count; i++) {
        const struct rv_fiber *fiber = rv_engine.alive[i];
        if (only_blocked && !(fiber->pending.ready && !fiber->pending.ready(fiber))) continue;
        sum += fold(fold(3, fiber->pending.op), program_place(fiber->pending.site, fiber));
    }
    return fold(fold(2, kind), sum);
}

/* If threads wait for the plan of events, that is why nobody goes on. */
static void end_by_plan(void) {
    struct rv_outcome *outcome = &rv.area->outcome;
    if (!rv_plan_waits(outcome->message, RV_MAX_MESSAGE)) return;
    outcome->thread = RV_NO_THREAD;
    outcome->signature = signature_of_all(RV_KIND_SCHEDULE, true);
    fail(RV_KIND_SCHEDULE, 0);
}

_Noreturn void rv_end_deadlock(void) {
    struct rv_outcome *outcome = &rv.area->outcome;
    uint32_t count = rv_engine.alive_count;
    if (rv.mode == RV_DETACHED) rv_sys_exit_group(134);
    end_by_plan();
    (void)snprintf(outcome->message, RV_MAX_MESSAGE,
                   count == 1 ? "the last thread waits for ever"
                              : "all %u threads wait for each other or for nothing",
                   count);
    outcome->thread = RV_NO_THREAD;
    outcome->signature = signature_of_all(RV_KIND_DEADLOCK, false);
    fail(RV_KIND_DEADLOCK, 0);
}

_Noreturn void rv_end_hang(void) {
    struct rv_outcome *outcome = &rv.area->outcome;
    uint32_t spinning = 0;
    end_by_plan();
    for (uint32_t i = 0; i < rv_engine.alive_count; i++) spinning += rv_engine.alive[i]->fruitless > 0;
    (void)snprintf(
        outcome->message, RV_MAX_MESSAGE,
        "no thread makes progress: %u of %u repeat themselves without effect, under a fair schedule",
        spinning, rv_engine.alive_count);
    outcome->thread = RV_NO_THREAD;
    outcome->signature = signature_of_all(RV_KIND_HANG, true);
    fail(RV_KIND_HANG, 0);
}

_Noreturn void rv_end_not_terminating(void) {
    rv.area->outcome.not_terminating = 1;
    rv_worker_execution_over();
}

_Noreturn void rv_exit(int status) {
    if (rv.mode == RV_DETACHED) rv_sys_exit_group(status);
    struct rv_outcome *outcome = &rv.area->outcome;
    outcome->exit_status = status & 0xff;
    if (outcome->exit_status == rv.config->expect_exit) rv_worker_execution_over();
    outcome->thread = rv.current->id;
    if (rv.config->expect_exit == 0)
        (void)snprintf(outcome->message, RV_MAX_MESSAGE, "exit status %d", outcome->exit_status);
    else
        (void)snprintf(outcome->message, RV_MAX_MESSAGE, "exit status %d, expected %d", outcome->exit_status,
                       rv.config->expect_exit);
    outcome->signature = fold(fold(1, RV_KIND_EXIT), (uint64_t)outcome->exit_status);
    outcome->thread = RV_NO_THREAD;
    fail(RV_KIND_EXIT, current_site());
}

/* ---- what the user should know ---- */

static void note(const char *format, va_list arguments) {
    struct rv_control *control = &rv.area->control;
    char text[sizeof control->notes[0]];
    rv.internal++;
    (void)vsnprintf(text, sizeof text, format, arguments);
    rv.internal--;
    for (uint32_t i = 0; i < control->note_count && i < RV_MAX_NOTES; i++)
        if (strcmp(control->notes[i], text) == 0) return;
    if (control->note_count >= RV_MAX_NOTES) return;
    memcpy(control->notes[control->note_count], text, sizeof text);
    __atomic_store_n(&control->note_count, control->note_count + 1, __ATOMIC_RELEASE);
}

void rv_note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    note(format, arguments);
    va_end(arguments);
}

void rv_need_fork(const char *reason) {
    if (rv.mode == RV_SINGLE || rv.mode == RV_DETACHED)
        return; /* happened before the snapshot: nothing to undo */
    if (rv_engine.learned->need_fork || rv.area->control.isolation == RV_ISOLATION_FORK) return;
    rv_engine.learned->need_fork = 1;
    if (rv.config->isolation == RV_ISOLATION_MEMORY)
        rv_note("%s: cannot be undone between executions; --isolation=fork can", reason);
    else
        rv_note("%s: executions run in processes of their own (fork isolation)", reason);
}

_Noreturn void rv_unusable(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    note(format, arguments);
    va_end(arguments);
    rv_worker_unusable();
}
