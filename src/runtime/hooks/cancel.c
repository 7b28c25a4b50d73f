/* Cancellation.
 *
 *   state of the fiber   meaning
 *   cancel_pending       somebody asked; stays set
 *   cancel_disabled      the thread does not want to know now
 *   cancel_async         it may be ended anywhere: at its next scheduling point, that is
 *   cancelling           it is ending already (unwind.c): further requests change nothing
 *
 * Who acts: the scheduler, at points whose pending operation is a cancellation point (rv_pending.cancellable), or any
 * if the thread is asynchronous; it also lets a fiber run that waits at one. Here only the calls by which a thread can
 * make a request effective for itself.
 */
#include <errno.h>
#include <pthread.h>

#include "runtime/hooks/sync.h"
#include "runtime/hooks/threads.h"
#include "runtime/real.h"
#include "runtime/watch.h"

_Noreturn void rv_cancel_act(void) {
    rv_watch_cancelled();
    rv_thread_exit(PTHREAD_CANCELED);
}

/* An asynchronous thread need not wait for a scheduling point if it has just made the request effective itself. */
static void act_if_asynchronous(const struct rv_fiber *self) {
    if (self->cancel_async && rv_sync_cancelled(self)) rv_cancel_act();
}

RV_EXPORT int pthread_cancel(pthread_t thread) {
    if (rv_threads_passive()) return RV_REAL(pthread_cancel)(thread);
    uintptr_t site = RV_SITE();
    rv_thread_at(RV_OP_CANCEL, site);
    struct rv_fiber *target = rv_thread_find(thread);
    if (!target) rv_fail(RV_KIND_MISUSE, "cancel of a handle that is no thread");
    struct rv_pending pending = RV_PENDING(RV_OP_CANCEL, rv_thread_object(target), site);
    rv_schedule(&pending);
    if (target->state == RV_FIBER_JOINED)
        rv_fail(RV_KIND_MISUSE, "cancel of thread %u, which %s", target->id,
                target->detached ? "was detached and is over" : "was joined before");
    /* A thread that is over but not joined has its result: nothing to do, no error. */
    target->cancel_pending = true;
    rv_done(&pending, 0, 0);
    if (target == rv_self()) act_if_asynchronous(target);
    return 0;
}

RV_EXPORT int pthread_setcancelstate(int state, int *old) {
    if (rv_threads_passive()) return RV_REAL(pthread_setcancelstate)(state, old);
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
    struct rv_fiber *self = rv_self();
    if (old) *old = self->cancel_disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    self->cancel_disabled = state == PTHREAD_CANCEL_DISABLE;
    act_if_asynchronous(self);
    return 0;
}

RV_EXPORT int pthread_setcanceltype(int type, int *old) {
    if (rv_threads_passive()) return RV_REAL(pthread_setcanceltype)(type, old);
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
    struct rv_fiber *self = rv_self();
    if (old) *old = self->cancel_async ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
    self->cancel_async = type == PTHREAD_CANCEL_ASYNCHRONOUS;
    act_if_asynchronous(self);
    return 0;
}

/* A scheduling point: else a loop around it would never see the request. */
RV_EXPORT void pthread_testcancel(void) {
    if (rv_threads_passive()) {
        RV_REAL(pthread_testcancel)();
        return;
    }
    struct rv_fiber *self = rv_self();
    struct rv_pending pending = RV_PENDING(RV_OP_TESTCANCEL, rv_thread_object(self), RV_SITE());
    pending.cancellable = true;
    rv_schedule(&pending);
    if (rv_sync_cancelled(self)) rv_cancel_act();
    rv_done(&pending, 0, 0);
}
