/* Read-write locks, in glibc's struct, with these meanings:
 *
 *   __flags      the kind, as glibc's init and static initialisers set it; DESTROYED after destroy
 *   __readers    read holds, recursive ones counted each
 *   __cur_writer thread + 1 of the writer, 0: none
 *   __writers    writers known to wait; kept for PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP only
 *   __pad3       1: some read hold is not in its thread's list of held locks (the list was full), so that an
 *                unlock cannot be checked until all readers are gone
 *
 * With the default kind (and PREFER_WRITER_NP, which glibc treats alike) readers enter unless a writer
 * holds the lock. With the nonrecursive kind they also wait while a writer waits. A writer waits from the
 * moment it was picked and did not get the lock, not from the moment it is about to ask: between the two
 * other readers still enter, as they do with real threads. That is a scheduling point more, for this kind.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

#include "runtime/hooks/sync.h"
#include "runtime/native.h"
#include "runtime/real.h"
#include "runtime/watch.h"

#define DESTROYED   0xffffffffu
#define MAX_READERS (1u << 28)
enum { MUST_WAIT = -1 };

static bool is_write(enum rv_op op) { return op == RV_OP_WRLOCK || op == RV_OP_TRYWRLOCK; }
static bool is_try(enum rv_op op) { return op == RV_OP_TRYRDLOCK || op == RV_OP_TRYWRLOCK; }
static bool prefers_writers(const pthread_rwlock_t *rwlock) {
    return rwlock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

static void check(const pthread_rwlock_t *rwlock, enum rv_op op) {
    rv_sync_check(rwlock, sizeof *rwlock, op, "the read-write lock");
    unsigned kind = rwlock->__data.__flags;
    if (RV_LIKELY(kind <= PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)) return;
    if (kind == DESTROYED) RV_MISUSE(rwlock, "%s of a destroyed read-write lock", rv_op_names[op]);
    RV_MISUSE(rwlock, "%s of a read-write lock that was never initialised", rv_op_names[op]);
}

/* What an attempt of this owner comes to now: 0, an error, or MUST_WAIT. Changes nothing. */
static int lock_outcome(const pthread_rwlock_t *rwlock, int owner, enum rv_op op) {
    const struct __pthread_rwlock_arch_t *state = &rwlock->__data;
    if (state->__cur_writer) return state->__cur_writer == owner && !is_try(op) ? EDEADLK : MUST_WAIT;
    if (is_write(op)) return state->__readers ? MUST_WAIT : 0;
    if (prefers_writers(rwlock) && state->__writers) return MUST_WAIT;
    return state->__readers >= MAX_READERS ? EAGAIN : 0;
}

static bool lock_ready(const struct rv_fiber *fiber) {
    return lock_outcome(fiber->pending.data, (int)fiber->id + 1, fiber->pending.op) != MUST_WAIT;
}

uint32_t rv_rwlock_owner(const pthread_rwlock_t *rwlock) {
    if (rwlock->__data.__cur_writer) return rv_owner_thread(rwlock->__data.__cur_writer);
    if (!rwlock->__data.__readers) return RV_NO_THREAD;
    for (uint32_t i = 0; i < rv.fiber_count; i++) {
        struct rv_fiber *fiber = rv.fibers[i];
        if (fiber->state != RV_FIBER_UNUSED && rv_held_find(fiber, rwlock)) return fiber->id;
    }
    return RV_NO_THREAD;
}

static uint8_t room_of(const pthread_rwlock_t *rwlock) {
    if (rwlock->__data.__cur_writer) return RV_ROOM_NONE;
    uint8_t room = rwlock->__data.__readers ? RV_ROOM_SHARED : RV_ROOM_ANY;
    if (prefers_writers(rwlock) && rwlock->__data.__writers) room &= RV_ROOM_EXCLUSIVE;
    return room;
}

static void take(pthread_rwlock_t *rwlock, enum rv_op op, uintptr_t site) {
    if (is_write(op))
        rwlock->__data.__cur_writer = rv_owner_self();
    else
        rwlock->__data.__readers++;
    rv_held_add(rwlock, is_write(op) ? RV_OP_WRLOCK : RV_OP_RDLOCK, site);
    if (!is_write(op) && !rv_held_find(rv_self(), rwlock)) rwlock->__data.__pad3 = 1;
}

/* A blocking write lock that readers must wait behind: see the essay. */
static void wait_as_writer(pthread_rwlock_t *rwlock, struct rv_pending *pending) {
    bool (*ready)(const struct rv_fiber *) = pending->ready;
    struct rv_pending attempt = *pending;
    attempt.ready = NULL;
    attempt.deadline = RV_FOREVER;
    rv_schedule(&attempt);
    check(rwlock, pending->op);
    if (!ready || lock_outcome(rwlock, rv_owner_self(), pending->op) != MUST_WAIT) return;
    rv_observe_also(pending->op, rwlock, room_of(rwlock));
    rwlock->__data.__writers++;
    rv_schedule(pending);
    rwlock->__data.__writers--;
}

static int lock(pthread_rwlock_t *rwlock, enum rv_op op, const struct rv_until *until, uintptr_t site) {
    check(rwlock, op);
    struct rv_pending pending = RV_PENDING(op, rwlock, site);
    pending.data = rwlock;
    pending.owner = rv_rwlock_owner(rwlock);
    if (!is_try(op)) pending.ready = lock_ready;
    int otherwise = is_try(op) ? EBUSY : rv_sync_deadline(&pending, until);
    if (op == RV_OP_WRLOCK && prefers_writers(rwlock))
        wait_as_writer(rwlock, &pending);
    else
        rv_schedule(&pending);
    check(rwlock, op);
    int result = lock_outcome(rwlock, rv_owner_self(), op);
    pending.room = room_of(rwlock);
    assert(result != MUST_WAIT || is_try(op) || until);
    if (result == MUST_WAIT)
        result = otherwise;
    else if (result == 0)
        take(rwlock, op, site);
    rv_sync_done(&pending, result);
    return result;
}

/* glibc checks the time before it tries the lock. */
static int timed_lock(pthread_rwlock_t *rwlock, enum rv_op op, clockid_t clock, const struct timespec *time,
                      uintptr_t site) {
    if (!rv_sync_clock(clock) || !rv_sync_nanoseconds(time)) return EINVAL;
    return lock(rwlock, op, &(struct rv_until){clock, time}, site);
}

static void unlock(pthread_rwlock_t *rwlock, uintptr_t site) {
    check(rwlock, RV_OP_RWUNLOCK);
    struct rv_pending pending = RV_PENDING(RV_OP_RWUNLOCK, rwlock, site);
    rv_schedule(&pending);
    check(rwlock, RV_OP_RWUNLOCK);
    struct __pthread_rwlock_arch_t *state = &rwlock->__data;
    pending.room = room_of(rwlock);
    bool exclusive = state->__cur_writer != 0;
    if (exclusive) {
        if (state->__cur_writer != rv_owner_self())
            RV_MISUSE(rwlock, "unlock of a read-write lock that another thread holds for writing");
        state->__cur_writer = 0;
    } else {
        if (!state->__readers) RV_MISUSE(rwlock, "unlock of a read-write lock that is not locked");
        if (!state->__pad3 && !rv_held_find(rv_self(), rwlock))
            RV_MISUSE(rwlock, "unlock of a read-write lock that this thread does not hold");
        if (--state->__readers == 0) state->__pad3 = 0;
    }
    rv_held_remove(rwlock);
    rv_watch(exclusive ? RV_STEP_UNLOCK : RV_STEP_UNLOCK_SHARED, rwlock, 0, 0, site);
    rv_sync_done(&pending, 0);
}

/* The interposed functions. */

RV_EXPORT int pthread_rwlock_init(pthread_rwlock_t *restrict rwlock,
                                  const pthread_rwlockattr_t *restrict attributes) {
    if (rv_passive()) return RV_REAL(pthread_rwlock_init)(rwlock, attributes);
    rv_access(rwlock, sizeof *rwlock, true, RV_SITE());
    rv_watch(RV_STEP_RENEW, rwlock, 0, 0, RV_SITE());
    return RV_REAL(pthread_rwlock_init)(rwlock, attributes);
}

RV_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *rwlock) {
    if (rv_passive()) return RV_REAL(pthread_rwlock_destroy)(rwlock);
    rv_access(rwlock, sizeof *rwlock, true, RV_SITE());
    rv_watch(RV_STEP_RENEW, rwlock, 0, 0, RV_SITE());
    if (rwlock->__data.__flags == DESTROYED) RV_MISUSE(rwlock, "destroy of a destroyed read-write lock");
    if (rwlock->__data.__cur_writer || rwlock->__data.__readers)
        RV_MISUSE(rwlock, "destroy of a locked read-write lock");
    rwlock->__data.__flags = DESTROYED;
    return 0;
}

RV_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *rwlock) {
    if (rv_passive())
        return RV_BLOCKING_IF(RV_REAL(pthread_rwlock_tryrdlock)(rwlock), EBUSY,
                              RV_REAL(pthread_rwlock_rdlock)(rwlock));
    return lock(rwlock, RV_OP_RDLOCK, NULL, RV_SITE());
}

RV_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *rwlock) {
    if (rv_passive())
        return RV_BLOCKING_IF(RV_REAL(pthread_rwlock_trywrlock)(rwlock), EBUSY,
                              RV_REAL(pthread_rwlock_wrlock)(rwlock));
    return lock(rwlock, RV_OP_WRLOCK, NULL, RV_SITE());
}

RV_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *rwlock) {
    if (rv_passive()) return RV_REAL(pthread_rwlock_tryrdlock)(rwlock);
    return lock(rwlock, RV_OP_TRYRDLOCK, NULL, RV_SITE());
}

RV_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *rwlock) {
    if (rv_passive()) return RV_REAL(pthread_rwlock_trywrlock)(rwlock);
    return lock(rwlock, RV_OP_TRYWRLOCK, NULL, RV_SITE());
}

RV_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict rwlock,
                                         const struct timespec *restrict time) {
    struct timespec room;
    if (rv_passive())
        return RV_BLOCKING_IF(
            RV_REAL(pthread_rwlock_tryrdlock)(rwlock), EBUSY,
            RV_REAL(pthread_rwlock_timedrdlock)(rwlock, rv_native_deadline(CLOCK_REALTIME, time, &room)));
    return timed_lock(rwlock, RV_OP_RDLOCK, CLOCK_REALTIME, time, RV_SITE());
}

RV_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict rwlock,
                                         const struct timespec *restrict time) {
    struct timespec room;
    if (rv_passive())
        return RV_BLOCKING_IF(
            RV_REAL(pthread_rwlock_trywrlock)(rwlock), EBUSY,
            RV_REAL(pthread_rwlock_timedwrlock)(rwlock, rv_native_deadline(CLOCK_REALTIME, time, &room)));
    return timed_lock(rwlock, RV_OP_WRLOCK, CLOCK_REALTIME, time, RV_SITE());
}

RV_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict rwlock, clockid_t clock,
                                         const struct timespec *restrict time) {
    struct timespec room;
    if (rv_passive())
        return RV_BLOCKING_IF(
            RV_REAL(pthread_rwlock_tryrdlock)(rwlock), EBUSY,
            RV_REAL(pthread_rwlock_clockrdlock)(rwlock, clock, rv_native_deadline(clock, time, &room)));
    return timed_lock(rwlock, RV_OP_RDLOCK, clock, time, RV_SITE());
}

RV_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict rwlock, clockid_t clock,
                                         const struct timespec *restrict time) {
    struct timespec room;
    if (rv_passive())
        return RV_BLOCKING_IF(
            RV_REAL(pthread_rwlock_trywrlock)(rwlock), EBUSY,
            RV_REAL(pthread_rwlock_clockwrlock)(rwlock, clock, rv_native_deadline(clock, time, &room)));
    return timed_lock(rwlock, RV_OP_WRLOCK, clock, time, RV_SITE());
}

RV_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *rwlock) {
    if (rv_passive()) return RV_REAL(pthread_rwlock_unlock)(rwlock);
    unlock(rwlock, RV_SITE());
    return 0;
}

/* Names under which glibc exports the same functions. */
RV_ALIAS(pthread_rwlock_init);
RV_ALIAS(pthread_rwlock_destroy);
RV_ALIAS(pthread_rwlock_rdlock);
RV_ALIAS(pthread_rwlock_wrlock);
RV_ALIAS(pthread_rwlock_tryrdlock);
RV_ALIAS(pthread_rwlock_trywrlock);
RV_ALIAS(pthread_rwlock_unlock);
