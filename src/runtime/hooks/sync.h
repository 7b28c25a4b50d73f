/* What the synchronisation hooks share: deadlines, waiting for a wake-up, checks of the object, and the
 * mutex operations that condition variables and C11 need with a site of their own.
 *
 * Two ways to wait:
 *   by state    mutex, rwlock, spinlock, semaphore, once: `ready` looks into the object; nobody wakes anybody
 *   by wake-up  condition variable, barrier: the object has nothing to look at (a signal is not
 *               remembered), or may be gone by the time the waiter runs (the last thread at a barrier may
 *               destroy it). The fiber says on what it waits (rv_wait_begin), another sets its `woken`
 *               (rv_wake_nth, rv_wake_all), and `ready` (rv_wait_woken) looks at the fiber alone.
 *
 * The rule for time-outs, everywhere: what can be had when the thread runs again is taken, even if its time
 * is up. POSIX forbids a time-out for a lock that is free, and the time-out while it is held is a schedule
 * of its own. So a hook does
 *
 *     int otherwise = ...;           the error if it cannot be had: EBUSY, ETIMEDOUT, EINVAL
 *     rv_schedule(&pending);         its answer only matters where EINTR is possible
 *     can it be had ? take it : return otherwise;
 */
#ifndef RV_RUNTIME_HOOKS_SYNC_H
#define RV_RUNTIME_HOOKS_SYNC_H

#include <pthread.h>
#include <time.h>

#include "runtime/core.h"

/* Exports `name` as __name too. */
#if __has_attribute(copy)
#define RV_COPY(name) __attribute__((copy(name))) /* gcc wants both to have the header's attributes */
#else
#define RV_COPY(name)
#endif
#define RV_ALIAS(name) extern RV_EXPORT __typeof__(name) __##name __attribute__((alias(#name))) RV_COPY(name)

/* A point in time as the program gave it. */
struct rv_until {
    clockid_t clock;
    const struct timespec *time;
};

/* Whether glibc waits by this clock: CLOCK_REALTIME or CLOCK_MONOTONIC. */
bool rv_sync_clock(clockid_t clock);
bool rv_sync_nanoseconds(const struct timespec *time);
/* Gives the pending operation this deadline; until NULL: it waits for ever. Returns the error to report if it
 * cannot be had when rv_schedule returns: ETIMEDOUT, or EINVAL if the time has bad nanoseconds. With those,
 * or with a time that is past, the operation will not wait at all (ready becomes NULL). */
int rv_sync_deadline(struct rv_pending *pending, const struct rv_until *until);

/* Fails the execution if the object lies in heap memory that is not allocated. `what` ends the sentence
 * "unlock of a mutex": "a mutex". */
void rv_sync_check(const void *object, size_t size, enum rv_op op, const char *what);
/* Fails the execution: misuse of this object. */
#define RV_MISUSE(object, ...) rv_fail_memory(RV_KIND_MISUSE, (uintptr_t)(object), __VA_ARGS__)
/* rv_done with the flag that an error result asks for. */
void rv_sync_done(const struct rv_pending *pending, int result);

/* Owners as they stand in objects: thread + 1, 0 for none. */
static inline int rv_owner_self(void) { return (int)rv_self()->id + 1; }
static inline uint32_t rv_owner_thread(int owner) {
    return owner > 0 && (uint32_t)owner <= rv.fiber_count ? (uint32_t)owner - 1 : RV_NO_THREAD;
}
/* The thread that holds what this operation waits for, now (pending->owner is as old as the announcement);
 * RV_NO_THREAD: nobody, several, or unknown. For reports. */
uint32_t rv_sync_owner(const struct rv_pending *pending);

/* Waiting for a wake-up. */
void rv_wait_begin(const void *object); /* the current fiber is a waiter from now on, the last one */
void rv_wait_end(void);                 /* ... and is none any more */
bool rv_wait_woken(const struct rv_fiber *fiber); /* for pending.ready */
uint32_t rv_wait_count(const void *object);       /* waiters not woken yet */
void rv_wake_nth(const void *object, uint32_t n); /* n < rv_wait_count; 0: who waits longest */
uint32_t rv_wake_all(const void *object);         /* how many */

/* A cancellation request that the fiber would act on. */
static inline bool rv_sync_cancelled(const struct rv_fiber *fiber) {
    return fiber->cancel_pending && !fiber->cancel_disabled && !fiber->cancelling;
}

/* cancel.c. Ends the current thread because it was cancelled; for the scheduler. */
_Noreturn void rv_cancel_act(void);

/* thread.c: keys, names and attributes, saved at the snapshot and brought back after each execution. */
void rv_threads_snapshot(void);
void rv_threads_restore(void);

/* mutex.c. Results as the pthread functions of these names. op: RV_OP_LOCK, RV_OP_TRYLOCK or
 * RV_OP_TIMEDLOCK. */
int rv_mutex_lock(pthread_mutex_t *mutex, enum rv_op op, const struct rv_until *until, uintptr_t site);
int rv_mutex_unlock(pthread_mutex_t *mutex, uintptr_t site);
/* The unlock of a wait: no scheduling point; `op` names the caller in a misuse. */
int rv_mutex_drop(pthread_mutex_t *mutex, enum rv_op op);
int rv_mutex_destroy(pthread_mutex_t *mutex, uintptr_t site);
uint32_t rv_mutex_owner(const pthread_mutex_t *mutex);
/* The fiber ends: robust mutexes that it holds know it from now on. */
void rv_mutex_owner_died(struct rv_fiber *fiber);

/* cond.c */
int rv_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct rv_until *until, uintptr_t site);
int rv_cond_wake(pthread_cond_t *cond, enum rv_op op, uintptr_t site); /* COND_SIGNAL or COND_BROADCAST */
int rv_cond_destroy(pthread_cond_t *cond, uintptr_t site);

/* rwlock.c, spin.c, once.c, guard.c: the holder, for rv_sync_owner */
uint32_t rv_rwlock_owner(const pthread_rwlock_t *rwlock);
uint32_t rv_spin_owner(const pthread_spinlock_t *lock);

/* once.c */
int rv_once(pthread_once_t *once, void (*initialise)(void), uintptr_t site);

#endif
