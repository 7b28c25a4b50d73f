/* Threads, stacks, locks and heap blocks for the outcome of a request.
 *
 * Stacks are those that the compiler's function hooks keep. A thread of a program that was not built with ravel
 * cc has none; it is made to unwind itself: it is switched to with rv_report_wanted set, walks its own stack
 * with the unwinder, and switches back.
 */
#include "runtime/cover.h"
#include "runtime/engine.h"

#include <unwind.h>

#include "runtime/events.h"
#include "runtime/fiber.h"
#include "runtime/heap.h"
#include "runtime/hooks/sync.h"

bool rv_report_wanted;
static struct rv_fiber *reporter;
static struct rv_thread_report *report_of_self;

uint32_t rv_stack(uintptr_t site, uintptr_t *frames, uint32_t max) {
    struct rv_fiber *self = rv.current;
    uint32_t count = 0;
    if (site && count < max) frames[count++] = site;
    for (uint32_t i = self ? self->depth : 0; i-- > 0 && count < max;) frames[count++] = self->frames[i].pc;
    return count;
}

/* ---- unwinding ---- */

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *data) {
    struct rv_thread_report *report = data;
    uintptr_t pc = _Unwind_GetIP(context);
    if (!pc || report->frame_count >= RV_MAX_FRAMES) return _URC_END_OF_STACK;
    if (report->frame_count == 0 && rv_in_runtime(pc)) return _URC_NO_REASON; /* our own part of the stack */
    report->frames[report->frame_count++] = rv_code_of(pc);
    return _URC_NO_REASON;
}

static void unwind_into(struct rv_thread_report *report) {
    report->frame_count = 0;
    rv.internal++;
    _Unwind_Backtrace(add_frame, report);
    rv.internal--;
}

/* The search for the first frame outside of the runtime. */
struct search {
    uintptr_t after; /* frames up to the one at this address do not count; 0: all do */
    uintptr_t found;
};

static _Unwind_Reason_Code leave_runtime(struct _Unwind_Context *context, void *data) {
    struct search *search = data;
    uintptr_t pc = _Unwind_GetIP(context);
    if (search->after) {
        if (pc == search->after) search->after = 0;
        return _URC_NO_REASON;
    }
    if (rv_in_runtime(pc)) return _URC_NO_REASON;
    search->found = pc;
    return _URC_END_OF_STACK;
}

uintptr_t rv_call_site(uintptr_t after) {
    struct search search = {.after = after};
    rv.internal++;
    _Unwind_Backtrace(leave_runtime, &search);
    rv.internal--;
    return search.found;
}

void rv_report_self(void) {
    if (report_of_self) unwind_into(report_of_self);
    rv_fiber_enter(reporter);
}

static void let_unwind(struct rv_fiber *fiber, struct rv_thread_report *report) {
    if (fiber == rv.current) {
        unwind_into(report);
        return;
    }
    reporter = rv.current;
    report_of_self = report;
    rv_report_wanted = true;
    rv_fiber_enter(fiber);
    rv_report_wanted = false;
    report_of_self = NULL;
}

/* ---- one thread ---- */

static uint16_t state_of(const struct rv_fiber *fiber, bool failed) {
    if (fiber->state != RV_FIBER_ALIVE) return RV_THREAD_EXITED;
    if (fiber == rv.current && failed) return RV_THREAD_RUNNING;
    if (fiber->spinning) return RV_THREAD_SPINNING;
    const struct rv_pending *pending = &fiber->pending;
    if (!pending->ready || pending->ready(fiber)) return RV_THREAD_RUNNABLE;
    if (pending->op == RV_OP_SLEEP) return RV_THREAD_SLEEPING;
    return RV_THREAD_BLOCKED;
}

static void report_held(const struct rv_fiber *fiber, struct rv_thread_report *report) {
    for (uint32_t i = 0; i < fiber->held_count && report->held_count < RV_MAX_HELD; i++) {
        const struct rv_lock_held *held = &fiber->held[i];
        struct rv_held_lock *out = &report->held[report->held_count++];
        *out = (struct rv_held_lock){.address = (uint64_t)held->object, .op = (uint16_t)held->op};
        for (uint32_t j = 0; j < held->frame_count && j < 8; j++)
            out->frames[j] = rv_code_of(held->frames[j]);
    }
}

static void report_frames(struct rv_fiber *fiber, struct rv_thread_report *report, uintptr_t site) {
    if (site) report->frames[report->frame_count++] = rv_code_of(site);
    for (uint32_t i = fiber->depth; i-- > 0 && report->frame_count < RV_MAX_FRAMES;)
        report->frames[report->frame_count++] = rv_code_of(fiber->frames[i].pc);
    if (fiber->depth == 0 && fiber->state == RV_FIBER_ALIVE && fiber->pending.op != RV_OP_START)
        let_unwind(fiber, report);
}

static uint64_t object_of(const struct rv_pending *pending) {
    return pending->op == RV_OP_EVENT ? rv_event_pending(pending) : (uint64_t)pending->object;
}

static void report_thread(struct rv_fiber *fiber, uintptr_t failing_site) {
    struct rv_outcome *outcome = &rv.area->outcome;
    bool failed = outcome->thread == fiber->id;
    struct rv_thread_report *report = &rv.area->thread_reports[outcome->thread_count++];
    *report = (struct rv_thread_report){
        .id = fiber->id,
        .creator = fiber->creator,
        .state = state_of(fiber, failed),
        .op = (uint16_t)fiber->pending.op,
        .owner = fiber->state == RV_FIBER_ALIVE ? rv_sync_owner(&fiber->pending) : RV_NO_THREAD,
        .object = object_of(&fiber->pending),
        .timeout_ns = fiber->pending.timeout,
        .stack_low = fiber->stack_low,
        .stack_size = fiber->stack_size,
        .created_at = fiber->created_at ? rv_code_of(fiber->created_at) : 0,
    };
    memcpy(report->name, fiber->name, sizeof report->name);
    report_held(fiber, report);
    if (fiber->state == RV_FIBER_ALIVE)
        report_frames(fiber, report, failed && failing_site ? failing_site : fiber->pending.site);
}

void rv_report_threads(uintptr_t failing_site) {
    struct rv_outcome *outcome = &rv.area->outcome;
    outcome->thread_count = 0;
    if (outcome->thread != RV_NO_THREAD) report_thread(rv.current, failing_site);
    for (uint32_t i = 0; i < rv.fiber_count && outcome->thread_count < RV_MAX_THREAD_REPORTS; i++) {
        struct rv_fiber *fiber = rv.fibers[i];
        if (fiber->state == RV_FIBER_JOINED || fiber->id == outcome->thread) continue;
        report_thread(fiber, 0);
    }
}

/* ---- heap blocks ---- */

static void copy_origin(const struct rv_heap_origin *origin, uint32_t *thread, rv_code *frames) {
    *thread = origin->thread;
    for (uint32_t i = 0; i < origin->frame_count && i < 12; i++) frames[i] = rv_code_of(origin->frames[i]);
}

static void report_block(uint64_t address, uint32_t number) {
    struct rv_outcome *outcome = &rv.area->outcome;
    for (uint32_t i = 0; i < outcome->block_count; i++)
        if (rv.area->blocks[i].number == number) return;
    struct rv_heap_block block;
    if (outcome->block_count >= RV_MAX_BLOCKS || !rv_heap_find(address, &block) || block.number != number)
        return;
    struct rv_block_report *report = &rv.area->blocks[outcome->block_count++];
    *report = (struct rv_block_report){
        .number = number, .freed = block.freed, .address = block.address, .size = block.size};
    copy_origin(&block.allocated, &report->alloc_thread, report->alloc_frames);
    copy_origin(&block.released, &report->free_thread, report->free_frames);
}

void rv_report_blocks(void) {
    struct rv_outcome *outcome = &rv.area->outcome;
    outcome->block_count = 0;
    if (outcome->block) report_block(outcome->address, outcome->block);
    uint64_t count = outcome->event_count < RV_MAX_EVENTS ? outcome->event_count : RV_MAX_EVENTS;
    for (uint64_t i = 0; i < count; i++) {
        const struct rv_event *event = &rv.area->events[i];
        if (event->block) report_block(event->address, event->block);
    }
    for (uint32_t i = 0; i < outcome->thread_count; i++) {
        uint64_t object = rv.area->thread_reports[i].object;
        uint32_t offset;
        if (rv_heap_contains(object)) report_block(object, rv_heap_number(object, &offset));
    }
}

/* ---- locks held ---- */

struct rv_lock_held *rv_held_find(struct rv_fiber *fiber, const void *object) {
    for (uint32_t i = fiber->held_count; i-- > 0;)
        if (fiber->held[i].object == object) return &fiber->held[i];
    return NULL;
}

void rv_held_add(const void *object, enum rv_op op, uintptr_t site) {
    struct rv_fiber *self = rv.current;
    struct rv_lock_held *held = rv_held_find(self, object);
    if (held) {
        held->count++;
        return;
    }
    if (self->held_count >= sizeof self->held / sizeof self->held[0]) {
        self->held_more++;
        return;
    }
    held = &self->held[self->held_count++];
    held->object = object;
    held->op = op;
    held->count = 1;
    held->frame_count = rv_stack(site, held->frames, 8);
    if (RV_UNLIKELY(rv_covering.on)) rv_cover_held(self, NULL);
}

bool rv_held_remove(const void *object) {
    struct rv_fiber *self = rv.current;
    struct rv_lock_held *held = rv_held_find(self, object);
    if (!held) {
        if (!self->held_more) return false;
        self->held_more--;
        return true;
    }
    if (--held->count > 0) return true;
    struct rv_lock_held *last = &self->held[--self->held_count];
    for (; held < last; held++) *held = held[1];
    if (RV_UNLIKELY(rv_covering.on)) rv_cover_held(self, object);
    return true;
}
