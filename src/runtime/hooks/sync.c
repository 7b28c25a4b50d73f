/* Deadlines, wake-ups and checks for the synchronisation hooks: see sync.h. */
#include "runtime/hooks/sync.h"

#include <errno.h>
#include <limits.h>

#include "runtime/heap.h"

enum { NS_PER_SECOND = 1000000000 };

bool rv_sync_clock(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }

bool rv_sync_nanoseconds(const struct timespec *time) {
    return time->tv_nsec >= 0 && time->tv_nsec < NS_PER_SECOND;
}

int rv_sync_deadline(struct rv_pending *pending, const struct rv_until *until) {
    if (!until) return ETIMEDOUT;
    if (!rv_sync_nanoseconds(until->time)) {
        pending->ready = NULL;
        return EINVAL;
    }
    int64_t absolute, deadline, now = rv_now_to_wait();
    if (__builtin_mul_overflow((int64_t)until->time->tv_sec, (int64_t)NS_PER_SECOND, &absolute) ||
        __builtin_add_overflow(absolute, until->time->tv_nsec, &absolute))
        absolute = until->time->tv_sec < 0 ? INT64_MIN : INT64_MAX;
    if (__builtin_sub_overflow(absolute, rv_clock_offset(until->clock), &deadline))
        deadline = absolute < 0 ? INT64_MIN : INT64_MAX;
    if (deadline <= now) {
        pending->ready = NULL;
        pending->timeout = 0;
        return ETIMEDOUT;
    }
    pending->deadline = deadline < RV_FOREVER ? deadline : RV_FOREVER - 1;
    pending->timeout = pending->deadline - now;
    return ETIMEDOUT;
}

void rv_sync_check(const void *object, size_t size, enum rv_op op, const char *what) {
    uintptr_t address = (uintptr_t)object;
    if (RV_LIKELY(!rv_heap_contains(address) || rv_heap_accessible(address, size))) return;
    struct rv_heap_block block;
    if (rv_heap_find(address, &block) && !block.freed)
        rv_fail_memory(RV_KIND_HEAP_OVERFLOW, address, "%s: %s lies outside its heap block", rv_op_names[op],
                       what);
    rv_fail_memory(RV_KIND_USE_AFTER_FREE, address, "%s: %s lies in freed memory", rv_op_names[op], what);
}

void rv_sync_done(const struct rv_pending *pending, int result) {
    unsigned flags = 0;
    if (result && result != EOWNERDEAD) flags = RV_EVENT_FAILED;
    if (result == ETIMEDOUT) flags |= RV_EVENT_TIMEOUT;
    rv_done(pending, (uint64_t)result, flags);
}

uint32_t rv_sync_owner(const struct rv_pending *pending) {
    switch (pending->op) {
    case RV_OP_LOCK:
    case RV_OP_TIMEDLOCK: return rv_mutex_owner(pending->object);
    case RV_OP_RDLOCK:
    case RV_OP_WRLOCK: return rv_rwlock_owner(pending->object);
    case RV_OP_SPINLOCK: return rv_spin_owner(pending->object);
    default: return pending->owner;
    }
}

void rv_wait_begin(const void *object) {
    struct rv_fiber *self = rv_self();
    self->waiting_on = object;
    self->woken = false;
    self->wait_ticket = rv_ticket();
}

void rv_wait_end(void) {
    struct rv_fiber *self = rv_self();
    self->waiting_on = NULL;
    self->waiting_mutex = NULL;
}

bool rv_wait_woken(const struct rv_fiber *fiber) { return fiber->woken; }

static bool waits(const struct rv_fiber *fiber, const void *object) {
    return fiber->waiting_on == object && !fiber->woken && fiber->state == RV_FIBER_ALIVE;
}

uint32_t rv_wait_count(const void *object) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < rv.fiber_count; i++) count += waits(rv.fibers[i], object);
    return count;
}

void rv_wake_nth(const void *object, uint32_t n) {
    /* Selection by repeated minimum: n is small and tickets are distinct. */
    uint64_t above = 0;
    struct rv_fiber *chosen = NULL;
    for (uint32_t round = 0; round <= n; round++) {
        chosen = NULL;
        for (uint32_t i = 0; i < rv.fiber_count; i++) {
            struct rv_fiber *fiber = rv.fibers[i];
            if (waits(fiber, object) && fiber->wait_ticket > above &&
                (!chosen || fiber->wait_ticket < chosen->wait_ticket))
                chosen = fiber;
        }
        if (!chosen) return;
        above = chosen->wait_ticket;
    }
    chosen->woken = true;
    rv_observe_wake(chosen);
}

uint32_t rv_wake_all(const void *object) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < rv.fiber_count; i++) {
        if (!waits(rv.fibers[i], object)) continue;
        rv.fibers[i]->woken = true;
        rv_observe_wake(rv.fibers[i]);
        count++;
    }
    return count;
}
