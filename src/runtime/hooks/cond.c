/* Condition variables.
 *
 * A wait is three steps of its thread:
 *   enter    one scheduling point, then, without another: give up the mutex and become a waiter
 *   wait     until woken, cancelled, or out of time
 *   return   take the mutex back, an ordinary lock
 * A signal picks among the waiters; which of several is a choice of the strategy, as POSIX leaves it open. A
 * waiter that was woken is none any more, even before it runs, so the variable may be destroyed right after
 * a broadcast. If time-out or cancellation meets a wake-up, the wake-up wins: a signal is never swallowed by
 * a thread that does not return 0.
 *
 * Waiters are found through their fibers. In the object only two things matter, both in glibc's layout: bit 1
 * of __wrefs (wait by CLOCK_MONOTONIC), set by the real init, and a mark after destroy.
 */
#include <errno.h>
#include <pthread.h>

#include "runtime/hooks/sync.h"
#include "runtime/native.h"
#include "runtime/real.h"

enum { CLOCK_BIT = 2 };
#define DESTROYED 0xdead0c0du /* in __g1_orig_size, which a live condition variable of ours leaves 0 */

static void check(const pthread_cond_t *cond, enum rv_op op) {
    rv_sync_check(cond, sizeof *cond, op, "the condition variable");
    if (cond->__data.__g1_orig_size == DESTROYED)
        RV_MISUSE(cond, "%s of a destroyed condition variable", rv_op_names[op]);
}

static void check_same_mutex(const pthread_cond_t *cond, const pthread_mutex_t *mutex) {
    for (uint32_t i = 0; i < rv.fiber_count; i++) {
        const struct rv_fiber *other = rv.fibers[i];
        if (other->state == RV_FIBER_ALIVE && other->waiting_on == cond && !other->woken &&
            other->waiting_mutex != mutex)
            RV_MISUSE(cond, "wait with another mutex than the one with which thread %u waits", other->id);
    }
}

static bool wait_over(const struct rv_fiber *fiber) { return fiber->woken || rv_sync_cancelled(fiber); }

/* Waits as a waiter until the end, whatever it is: 0, ETIMEDOUT or ECANCELED. */
static int wait_for_wake(struct rv_pending *pending, const struct rv_until *until) {
    struct rv_fiber *self = rv_self();
    pending->ready = wait_over;
    pending->by_wake = true;
    int otherwise = rv_sync_deadline(pending, until);
    /* An interrupted wait goes on: handlers have run, POSIX allows no EINTR here. */
    enum rv_wake wake;
    do wake = rv_schedule(pending);
    while (wake == RV_SIGNAL && !wait_over(self));
    int result = self->woken ? 0 : rv_sync_cancelled(self) ? ECANCELED : otherwise;
    rv_wait_end();
    return result;
}

int rv_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct rv_until *until, uintptr_t site) {
    enum rv_op op = until ? RV_OP_COND_TIMEDWAIT : RV_OP_COND_WAIT;
    check(cond, op);
    struct rv_pending pending = RV_PENDING(op, cond, site);
    pending.other = mutex;
    rv_schedule(&pending);
    if (rv_sync_cancelled(rv_self())) rv_thread_exit(PTHREAD_CANCELED);
    check(cond, op);
    int result = rv_mutex_drop(mutex, op);
    if (result) {
        rv_sync_done(&pending, result);
        return result;
    }
    struct rv_pending unlock = RV_PENDING(RV_OP_UNLOCK, mutex, site);
    unlock.room = RV_ROOM_NONE;
    rv_sync_done(&unlock, 0);
    pending.other = NULL;
    check_same_mutex(cond, mutex);
    rv_wait_begin(cond);
    rv_self()->waiting_mutex = mutex;
    if (rv.config->spurious && rv_choose(2) == 1) rv_self()->woken = true;
    result = wait_for_wake(&pending, until);
    rv_sync_done(&pending, result);
    int relock = rv_mutex_lock(mutex, RV_OP_LOCK, NULL, site);
    if (result == ECANCELED) rv_thread_exit(PTHREAD_CANCELED);
    return relock ? relock : result;
}

int rv_cond_wake(pthread_cond_t *cond, enum rv_op op, uintptr_t site) {
    check(cond, op);
    struct rv_pending pending = RV_PENDING(op, cond, site);
    rv_schedule(&pending);
    check(cond, op);
    uint32_t woken = 0;
    if (op == RV_OP_COND_BROADCAST) {
        woken = rv_wake_all(cond);
    } else {
        uint32_t waiters = rv_wait_count(cond);
        if (waiters > 0) {
            rv_wake_nth(cond, waiters > 1 ? rv_choose(waiters) : 0);
            woken = 1;
        }
    }
    rv_done(&pending, woken, 0);
    return 0;
}

int rv_cond_destroy(pthread_cond_t *cond, uintptr_t site) {
    check(cond, RV_OP_COND_DESTROY);
    struct rv_pending pending = RV_PENDING(RV_OP_COND_DESTROY, cond, site);
    rv_schedule(&pending);
    check(cond, RV_OP_COND_DESTROY);
    uint32_t waiters = rv_wait_count(cond);
    if (waiters) RV_MISUSE(cond, "destroy of a condition variable on which %u thread(s) wait", waiters);
    cond->__data.__g1_orig_size = DESTROYED;
    rv_sync_done(&pending, 0);
    return 0;
}

/* The interposed functions. */

RV_EXPORT int pthread_cond_init(pthread_cond_t *restrict cond,
                                const pthread_condattr_t *restrict attributes) {
    if (rv_passive()) return RV_REAL(pthread_cond_init)(cond, attributes);
    rv_access(cond, sizeof *cond, true, RV_SITE());
    return RV_REAL(pthread_cond_init)(cond, attributes);
}

RV_EXPORT int pthread_cond_destroy(pthread_cond_t *cond) {
    if (rv_passive()) return RV_REAL(pthread_cond_destroy)(cond);
    return rv_cond_destroy(cond, RV_SITE());
}

RV_EXPORT int pthread_cond_wait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex) {
    if (rv_passive()) return RV_BLOCKING(RV_REAL(pthread_cond_wait)(cond, mutex));
    return rv_cond_wait(cond, mutex, NULL, RV_SITE());
}

RV_EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                                     const struct timespec *restrict time) {
    clockid_t clock = cond->__data.__wrefs & CLOCK_BIT ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    struct timespec room;
    if (rv_passive())
        return RV_BLOCKING(
            RV_REAL(pthread_cond_timedwait)(cond, mutex, rv_native_deadline(clock, time, &room)));
    if (!rv_sync_nanoseconds(time)) return EINVAL;
    return rv_cond_wait(cond, mutex, &(struct rv_until){clock, time}, RV_SITE());
}

RV_EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                                     clockid_t clock, const struct timespec *restrict time) {
    struct timespec room;
    if (rv_passive())
        return RV_BLOCKING(
            RV_REAL(pthread_cond_clockwait)(cond, mutex, clock, rv_native_deadline(clock, time, &room)));
    if (!rv_sync_nanoseconds(time) || !rv_sync_clock(clock)) return EINVAL;
    return rv_cond_wait(cond, mutex, &(struct rv_until){clock, time}, RV_SITE());
}

RV_EXPORT int pthread_cond_signal(pthread_cond_t *cond) {
    if (rv_passive()) return RV_REAL(pthread_cond_signal)(cond);
    return rv_cond_wake(cond, RV_OP_COND_SIGNAL, RV_SITE());
}

RV_EXPORT int pthread_cond_broadcast(pthread_cond_t *cond) {
    if (rv_passive()) return RV_REAL(pthread_cond_broadcast)(cond);
    return rv_cond_wake(cond, RV_OP_COND_BROADCAST, RV_SITE());
}
