/* Mutexes of all types, in glibc's layout.
 *
 *   __kind    as glibc sets it: type in the two low bits, then robust, protocol, shared and elision flags;
 *             -1 once destroyed
 *   __lock    FREE, HELD, and for robust mutexes INCONSISTENT (held by the thread that was told EOWNERDEAD),
 *             OWNER_DIED (nobody holds it, the next one is told), NOT_RECOVERABLE
 *   __owner   thread + 1 while held, else 0
 *   __count   holds of a recursive mutex
 *   __nusers  1 while held: what glibc's own destroy looks at
 *
 * All zero is a free normal mutex, and the static initialisers differ in __kind only. What a lock attempt
 * comes to is one pure function, lock_outcome: the scheduler asks it whether the thread can go on, the
 * hook asks it what to do. A thread that locks its own normal mutex again just never becomes ready: that is
 * a deadlock, and the core sees it as one.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>

#include "runtime/hooks/sync.h"
#include "runtime/native.h"
#include "runtime/real.h"
#include "runtime/watch.h"

enum { FREE = 0, HELD = 1, INCONSISTENT = 2, OWNER_DIED = 0x40000000, NOT_RECOVERABLE = 0x40000001 };
enum {
    TYPE_MASK = 3,
    ROBUST = 16,
    INHERIT = 32,
    PROTECT = 64,
    KNOWN_KIND = TYPE_MASK | ROBUST | INHERIT | PROTECT | 128 /* shared */ | 256 | 512 /* elision */,
    DESTROYED = -1,
};
enum { MUST_WAIT = -1 };

static bool is_held(const struct __pthread_mutex_s *m) {
    return m->__lock == HELD || m->__lock == INCONSISTENT;
}
static int type_of(const struct __pthread_mutex_s *m) { return m->__kind & TYPE_MASK; }

/* Types whose unlock by a thread that does not hold them is an error return, not undefined. */
static bool checks_owner(const struct __pthread_mutex_s *m) {
    return type_of(m) == PTHREAD_MUTEX_RECURSIVE_NP || type_of(m) == PTHREAD_MUTEX_ERRORCHECK_NP ||
           (m->__kind & (ROBUST | INHERIT));
}

static void check(const pthread_mutex_t *mutex, enum rv_op op) {
    rv_sync_check(mutex, sizeof *mutex, op, "the mutex");
    int kind = mutex->__data.__kind;
    if (RV_LIKELY(!(kind & ~KNOWN_KIND))) return;
    if (kind == DESTROYED) RV_MISUSE(mutex, "%s of a destroyed mutex", rv_op_names[op]);
    RV_MISUSE(mutex, "%s of a mutex that was never initialised", rv_op_names[op]);
}

/* What a lock attempt of this owner comes to now: 0 or an error, MUST_WAIT. Changes nothing. */
static int lock_outcome(const struct __pthread_mutex_s *m, int owner, bool only_try) {
    if (m->__lock == NOT_RECOVERABLE) return ENOTRECOVERABLE;
    if (m->__lock == OWNER_DIED) return EOWNERDEAD;
    if (!is_held(m)) return 0;
    if (m->__owner != owner) return MUST_WAIT;
    if (type_of(m) == PTHREAD_MUTEX_RECURSIVE_NP) return m->__count == UINT_MAX ? EAGAIN : 0;
    if (type_of(m) != PTHREAD_MUTEX_ERRORCHECK_NP) return MUST_WAIT;
    return only_try && !(m->__kind & (ROBUST | INHERIT | PROTECT)) ? MUST_WAIT : EDEADLK;
}

static bool lock_ready(const struct rv_fiber *fiber) {
    const pthread_mutex_t *mutex = fiber->pending.data;
    return lock_outcome(&mutex->__data, (int)fiber->id + 1, false) != MUST_WAIT;
}

static void take(pthread_mutex_t *mutex, uintptr_t site) {
    struct __pthread_mutex_s *m = &mutex->__data;
    if (is_held(m)) { /* again, by its owner */
        m->__count++;
        return;
    }
    m->__lock = m->__lock == OWNER_DIED ? INCONSISTENT : HELD;
    m->__owner = rv_owner_self();
    m->__nusers = 1;
    m->__count = type_of(m) == PTHREAD_MUTEX_RECURSIVE_NP;
    rv_held_add(mutex, RV_OP_LOCK, site);
}

uint32_t rv_mutex_owner(const pthread_mutex_t *mutex) {
    return is_held(&mutex->__data) ? rv_owner_thread(mutex->__data.__owner) : RV_NO_THREAD;
}

int rv_mutex_lock(pthread_mutex_t *mutex, enum rv_op op, const struct rv_until *until, uintptr_t site) {
    check(mutex, op);
    struct rv_pending pending = RV_PENDING(op, mutex, site);
    pending.data = mutex;
    pending.owner = rv_mutex_owner(mutex);
    bool only_try = op == RV_OP_TRYLOCK;
    if (!only_try) pending.ready = lock_ready;
    int otherwise = only_try ? EBUSY : rv_sync_deadline(&pending, until);
    rv_schedule(&pending);
    check(mutex, op);
    int result = lock_outcome(&mutex->__data, rv_owner_self(), only_try);
    if (is_held(&mutex->__data)) pending.room = RV_ROOM_NONE;
    assert(result != MUST_WAIT || only_try || until);
    if (result == MUST_WAIT)
        result = otherwise;
    else if (result == 0 || result == EOWNERDEAD)
        take(mutex, site);
    rv_sync_done(&pending, result);
    return result;
}

int rv_mutex_drop(pthread_mutex_t *mutex, enum rv_op op) {
    check(mutex, op);
    struct __pthread_mutex_s *m = &mutex->__data;
    if (!is_held(m) || m->__owner != rv_owner_self()) {
        if (checks_owner(m)) return EPERM;
        const char *word = op == RV_OP_UNLOCK ? "of" : "with";
        if (!is_held(m)) RV_MISUSE(mutex, "%s %s a mutex that is not locked", rv_op_names[op], word);
        uint32_t owner = rv_mutex_owner(mutex);
        if (owner == RV_NO_THREAD)
            RV_MISUSE(mutex, "%s %s a mutex that this thread does not hold", rv_op_names[op], word);
        RV_MISUSE(mutex, "%s %s a mutex that thread %u holds", rv_op_names[op], word, owner);
    }
    if (type_of(m) == PTHREAD_MUTEX_RECURSIVE_NP && --m->__count > 0) return 0;
    m->__lock = m->__lock == INCONSISTENT ? NOT_RECOVERABLE : FREE;
    m->__owner = 0;
    m->__nusers = 0;
    rv_held_remove(mutex);
    return 0;
}

int rv_mutex_unlock(pthread_mutex_t *mutex, uintptr_t site) {
    check(mutex, RV_OP_UNLOCK);
    struct rv_pending pending = RV_PENDING(RV_OP_UNLOCK, mutex, site);
    pending.room = RV_ROOM_NONE;
    rv_schedule(&pending);
    int result = rv_mutex_drop(mutex, RV_OP_UNLOCK);
    rv_sync_done(&pending, result);
    return result;
}

int rv_mutex_destroy(pthread_mutex_t *mutex, uintptr_t site) {
    check(mutex, RV_OP_MUTEX_DESTROY);
    struct rv_pending pending = RV_PENDING(RV_OP_MUTEX_DESTROY, mutex, site);
    rv_schedule(&pending);
    check(mutex, RV_OP_MUTEX_DESTROY);
    if (is_held(&mutex->__data)) {
        uint32_t owner = rv_mutex_owner(mutex);
        if (owner == RV_NO_THREAD) RV_MISUSE(mutex, "mutex destroy of a locked mutex");
        RV_MISUSE(mutex, "mutex destroy of a mutex that thread %u holds", owner);
    }
    mutex->__data.__kind = DESTROYED;
    rv_sync_done(&pending, 0);
    return 0;
}

void rv_mutex_owner_died(struct rv_fiber *fiber) {
    for (uint32_t i = 0; i < fiber->held_count; i++) {
        const struct rv_lock_held *held = &fiber->held[i];
        if (held->op != RV_OP_LOCK) continue;
        struct __pthread_mutex_s *m = &((pthread_mutex_t *)held->object)->__data;
        if (!(m->__kind & ROBUST) || m->__kind == DESTROYED || m->__owner != (int)fiber->id + 1) continue;
        m->__lock = OWNER_DIED;
        m->__owner = 0;
        m->__nusers = 0;
        m->__count = 0;
        rv_observe_also(RV_OP_UNLOCK, held->object, RV_ROOM_NONE);
        rv_watch(RV_STEP_UNLOCK, held->object, 0, 0, 0);
    }
}

/* The interposed functions. */

RV_EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    if (rv_passive()) return RV_REAL(pthread_mutex_init)(mutex, attributes);
    rv_sync_check(mutex, sizeof *mutex, RV_OP_MUTEX_INIT, "the mutex");
    struct rv_pending pending = RV_PENDING(RV_OP_MUTEX_INIT, mutex, RV_SITE());
    rv_schedule(&pending);
    int result = RV_REAL(pthread_mutex_init)(mutex, attributes);
    rv_sync_done(&pending, result);
    return result;
}

RV_EXPORT int pthread_mutex_destroy(pthread_mutex_t *mutex) {
    if (rv_passive()) return RV_REAL(pthread_mutex_destroy)(mutex);
    return rv_mutex_destroy(mutex, RV_SITE());
}

RV_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex) {
    if (rv_passive())
        return RV_BLOCKING_IF(RV_REAL(pthread_mutex_trylock)(mutex), EBUSY,
                              RV_REAL(pthread_mutex_lock)(mutex));
    return rv_mutex_lock(mutex, RV_OP_LOCK, NULL, RV_SITE());
}

RV_EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    if (rv_passive()) return RV_REAL(pthread_mutex_trylock)(mutex);
    return rv_mutex_lock(mutex, RV_OP_TRYLOCK, NULL, RV_SITE());
}

RV_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict time) {
    struct timespec room;
    if (rv_passive())
        return RV_BLOCKING_IF(
            RV_REAL(pthread_mutex_trylock)(mutex), EBUSY,
            RV_REAL(pthread_mutex_timedlock)(mutex, rv_native_deadline(CLOCK_REALTIME, time, &room)));
    return rv_mutex_lock(mutex, RV_OP_TIMEDLOCK, &(struct rv_until){CLOCK_REALTIME, time}, RV_SITE());
}

RV_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock,
                                      const struct timespec *restrict time) {
    struct timespec room;
    if (rv_passive())
        return RV_BLOCKING_IF(
            RV_REAL(pthread_mutex_trylock)(mutex), EBUSY,
            RV_REAL(pthread_mutex_clocklock)(mutex, clock, rv_native_deadline(clock, time, &room)));
    if (!rv_sync_clock(clock)) return EINVAL;
    return rv_mutex_lock(mutex, RV_OP_TIMEDLOCK, &(struct rv_until){clock, time}, RV_SITE());
}

RV_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    if (rv_passive()) return RV_REAL(pthread_mutex_unlock)(mutex);
    return rv_mutex_unlock(mutex, RV_SITE());
}

/* Not a scheduling point: only the holder may call it, and only the state after its unlock is seen. */
RV_EXPORT int pthread_mutex_consistent(pthread_mutex_t *mutex) {
    if (rv_passive()) return RV_REAL(pthread_mutex_consistent)(mutex);
    rv_sync_check(mutex, sizeof *mutex, RV_OP_LOCK, "the mutex");
    if (!(mutex->__data.__kind & ROBUST) || mutex->__data.__lock != INCONSISTENT) return EINVAL;
    mutex->__data.__lock = HELD;
    return 0;
}

/* Names under which glibc exports the same functions. */
RV_ALIAS(pthread_mutex_init);
RV_ALIAS(pthread_mutex_destroy);
RV_ALIAS(pthread_mutex_lock);
RV_ALIAS(pthread_mutex_trylock);
RV_ALIAS(pthread_mutex_unlock);
