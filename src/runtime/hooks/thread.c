/* Creating, joining and detaching threads.
 *
 * A thread is known by its pthread_t, which is glibc's own for the TLS block it runs on. A handle can come to mean
 * another thread once its thread is joined, or over and detached; the newest thread of a handle counts.
 *
 *   what the program does                      | POSIX              | here
 *   join or detach of a thread joined before    | undefined          | misuse
 *   join or detach of a detached thread         | undefined          | misuse
 *   two joins of one thread at the same time    | undefined          | misuse
 *   use of a handle that is no thread           | undefined          | misuse
 *   join of itself                              | may fail           | EDEADLK, as glibc
 *   join of one that joins it                   | may fail           | both wait, as with glibc: a deadlock
 *   detach while another joins it               | says nothing       | 0 and no effect, as glibc
 *
 * The child becomes known to the scheduler when its creator has been picked for the create, never before, so that
 * in every trace a thread's creation comes before its start.
 */
#include "runtime/hooks/threads.h"

#include <errno.h>
#include <pthread.h>
#include <sys/single_threaded.h>

#include "runtime/fiber.h"
#include "runtime/hooks/outside.h"
#include "runtime/hooks/outside.h"
#include "runtime/hooks/sync.h"
#include "runtime/native.h"
#include "runtime/native_events.h"
#include "runtime/real.h"
#include "runtime/worker.h"

struct rv_fiber *rv_thread_find(pthread_t thread) {
    for (uint32_t i = rv.fiber_count; i-- > 0;)
        if (rv.fibers[i]->self == thread && rv.fibers[i]->state != RV_FIBER_UNUSED) return rv.fibers[i];
    return NULL;
}

/* The thread that an operation is about; a handle that means none (any more) fails the execution. */
static struct rv_fiber *target_of(pthread_t thread, enum rv_op op, uintptr_t site) {
    rv_thread_at(op, site);
    struct rv_fiber *fiber = rv_thread_find(thread);
    if (!fiber) rv_fail(RV_KIND_MISUSE, "%s of a handle that is no thread", rv_op_names[op]);
    rv_self()->pending.object = rv_thread_object(fiber);
    if (fiber->state != RV_FIBER_JOINED) return fiber;
    rv_fail(RV_KIND_MISUSE, "%s of thread %u, which %s", rv_op_names[op], fiber->id,
            fiber->detached ? "was detached and is over" : "was joined before");
}

/* Create. */

int rv_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                     void *argument, uintptr_t site) {
    struct rv_thread_attributes wanted;
    int error = rv_attributes_read(attributes, &wanted);
    if (error) return error;
    int saved_errno = errno;
    rv_check_creator(site);
    rv_worker_snapshot();
    rv_timers_begin();
    rv_access(thread, sizeof *thread, true, site);
    struct rv_pending pending = RV_PENDING(RV_OP_CREATE, NULL, site);
    rv_schedule(&pending);
    struct rv_fiber *child = rv_fiber_create(wanted.stack_size, site);
    errno = saved_errno;
    if (!child) {
        rv_sync_done(&pending, EAGAIN);
        return EAGAIN;
    }
    child->start = start;
    child->argument = argument;
    child->detached = wanted.detached;
    rv_signal_set_mask(child,
                       wanted.own_mask ? rv_signal_bits(&wanted.signal_mask) : rv_signal_mask(rv_self()));
    rv_attributes_give(child, &wanted);
    /* Code that asks this before it uses an atomic operation (libstdc++'s reference counts) must not believe that it
     * is alone; memory restore may have brought that belief back. */
    __libc_single_threaded = 0;
    *thread = child->self;
    pending.object = rv_thread_object(child);
    pending.room = RV_ROOM_NONE;
    rv_done(&pending, child->id, 0);
    return 0;
}

RV_EXPORT int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                             void *(*start)(void *), void *restrict argument) {
    if (rv_native_on && rv_passive()) return rv_native_log_create(thread, attributes, start, argument);
    if (rv.mode == RV_PASSIVE) return rv_native_create(thread, attributes, start, argument);
    if (rv_threads_passive()) return RV_REAL(pthread_create)(thread, attributes, start, argument);
    return rv_thread_create(thread, attributes, start, argument, RV_SITE());
}

/* Join. */

static bool is_over(const struct rv_fiber *fiber) {
    const struct rv_fiber *target = fiber->pending.data;
    return target->state >= RV_FIBER_EXITED;
}

static void stop_joining(struct rv_fiber **target) {
    (*target)->joining = false;
    rv_observe_joinable(*target);
}

static void check_joinable(const struct rv_fiber *target) {
    if (target->detached) rv_fail(RV_KIND_MISUSE, "join of thread %u, which is detached", target->id);
    if (target->joining)
        rv_fail(RV_KIND_MISUSE, "join of thread %u, which thread %u is joining", target->id, target->joiner);
}

/* The joiner is cancelled or out of time: the thread stays joinable; stop_joining runs either way. */
static int wait_for_end(struct rv_fiber *target, struct rv_pending *pending, int otherwise) {
    struct rv_fiber *joined __attribute__((cleanup(stop_joining), unused)) = target;
    target->joining = true;
    target->joiner = rv_self()->id;
    rv_schedule(pending);
    if (target->state < RV_FIBER_EXITED) return otherwise;
    rv_fiber_joined(target);
    return 0;
}

int rv_thread_join(pthread_t thread, void **result, bool block, const struct rv_until *until,
                   uintptr_t site) {
    struct rv_fiber *target = target_of(thread, RV_OP_JOIN, site);
    if (target == rv_self()) return block ? EDEADLK : EBUSY;
    rv_observe_joinable(target);
    check_joinable(target);
    struct rv_pending pending = RV_PENDING(RV_OP_JOIN, rv_thread_object(target), site);
    pending.data = target;
    pending.owner = target->id;
    pending.cancellable = block;
    int otherwise = EBUSY;
    if (block) {
        pending.ready = is_over;
        otherwise = rv_sync_deadline(&pending, until);
    }
    int error = wait_for_end(target, &pending, otherwise);
    rv_sync_done(&pending, error);
    if (error || !result) return error;
    rv_access(result, sizeof *result, true, site);
    *result = target->result;
    return 0;
}

RV_EXPORT int pthread_join(pthread_t thread, void **result) {
    if (rv_threads_passive())
        return rv_native_on ? rv_native_join(thread, result) : RV_REAL(pthread_join)(thread, result);
    return rv_thread_join(thread, result, true, NULL, RV_SITE());
}

RV_EXPORT int pthread_tryjoin_np(pthread_t thread, void **result) {
    if (rv_threads_passive()) return RV_REAL(pthread_tryjoin_np)(thread, result);
    return rv_thread_join(thread, result, false, NULL, RV_SITE());
}

RV_EXPORT int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *time) {
    if (rv_threads_passive()) return RV_REAL(pthread_timedjoin_np)(thread, result, time);
    const struct rv_until until = {CLOCK_REALTIME, time};
    return rv_thread_join(thread, result, true, time ? &until : NULL, RV_SITE());
}

RV_EXPORT int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
                                   const struct timespec *time) {
    if (rv_threads_passive()) return RV_REAL(pthread_clockjoin_np)(thread, result, clock, time);
    if (!rv_sync_clock(clock)) return EINVAL;
    const struct rv_until until = {clock, time};
    return rv_thread_join(thread, result, true, time ? &until : NULL, RV_SITE());
}

/* Detach. */

int rv_thread_detach(pthread_t thread, uintptr_t site) {
    struct rv_fiber *target = target_of(thread, RV_OP_DETACH, site);
    struct rv_pending pending = RV_PENDING(RV_OP_DETACH, rv_thread_object(target), site);
    rv_schedule(&pending);
    target = target_of(thread, RV_OP_DETACH, site); /* may have been joined in between */
    rv_observe_joinable(target);
    if (target->detached) rv_fail(RV_KIND_MISUSE, "detach of thread %u, which is detached", target->id);
    if (!target->joining) {
        target->detached = true;
        if (target->state == RV_FIBER_EXITED) rv_fiber_joined(target);
    }
    rv_sync_done(&pending, 0);
    return 0;
}

RV_EXPORT int pthread_detach(pthread_t thread) {
    if (rv_threads_passive()) return RV_REAL(pthread_detach)(thread);
    return rv_thread_detach(thread, RV_SITE());
}

void rv_threads_snapshot(void) {
    rv_unwind_prepare();
    rv_keys_snapshot();
    rv_attributes_snapshot();
}

void rv_threads_restore(void) {
    rv_keys_restore();
    rv_attributes_restore();
}
