/* Unnamed semaphores, and the operations on all of them. glibc's layout on 64-bit machines: the value in the
 * low 32 bits of the first word; its count of waiters beside it we do not need. After destroy the value is
 * one that no semaphore can have. sem_open and its kin are in sem_named.c.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <string.h>

#include "runtime/hooks/sync.h"
#include "runtime/native.h"
#include "runtime/real.h"
#include "runtime/watch.h"

#define DESTROYED 0xffffffffu

static uint32_t *value_of(const sem_t *semaphore) { return (uint32_t *)(uintptr_t)semaphore; }

static uint32_t *checked(const sem_t *semaphore, enum rv_op op) {
    rv_sync_check(semaphore, sizeof *semaphore, op, "the semaphore");
    uint32_t *value = value_of(semaphore);
    if (*value == DESTROYED) RV_MISUSE(semaphore, "%s of a destroyed semaphore", rv_op_names[op]);
    if (*value > SEM_VALUE_MAX)
        RV_MISUSE(semaphore, "%s of a semaphore that was never initialised", rv_op_names[op]);
    return value;
}

static bool value_ready(const struct rv_fiber *fiber) { return *value_of(fiber->pending.data) > 0; }

static int fail_with(int error) {
    errno = error;
    return -1;
}

/* Takes one if the value allows when the thread runs: 0, or -1 with errno. */
static int take_one(sem_t *semaphore, enum rv_op op, const struct rv_until *until, uintptr_t site) {
    checked(semaphore, op);
    struct rv_pending pending = RV_PENDING(op, semaphore, site);
    pending.data = semaphore;
    int otherwise = EAGAIN;
    if (op != RV_OP_SEM_TRYWAIT) {
        pending.ready = value_ready;
        pending.cancellable = true;
        pending.interruptible = true;
        otherwise = rv_sync_deadline(&pending, until);
    }
    if (rv_schedule(&pending) == RV_SIGNAL) otherwise = EINTR;
    uint32_t *value = checked(semaphore, op);
    int result = *value > 0 ? 0 : otherwise;
    assert(result == 0 || op == RV_OP_SEM_TRYWAIT || until || result == EINTR);
    if (*value == 0) pending.room = RV_ROOM_NONE;
    if (result == 0) --*value;
    rv_sync_done(&pending, result);
    return result ? fail_with(result) : 0;
}

static int timed_wait(sem_t *semaphore, clockid_t clock, const struct timespec *time, uintptr_t site) {
    if (!rv_sync_clock(clock) || !rv_sync_nanoseconds(time)) return fail_with(EINVAL);
    return take_one(semaphore, RV_OP_SEM_TIMEDWAIT, &(struct rv_until){clock, time}, site);
}

RV_EXPORT int sem_init(sem_t *semaphore, int shared, unsigned value) {
    if (rv_passive()) return RV_REAL(sem_init)(semaphore, shared, value);
    if (value > SEM_VALUE_MAX) return fail_with(EINVAL);
    rv_access(semaphore, sizeof *semaphore, true, RV_SITE());
    rv_watch(RV_STEP_RENEW, semaphore, 0, 0, RV_SITE());
    memset(semaphore, 0, sizeof *semaphore);
    *value_of(semaphore) = value;
    return 0;
}

RV_EXPORT int sem_destroy(sem_t *semaphore) {
    if (rv_passive()) return RV_REAL(sem_destroy)(semaphore);
    rv_access(semaphore, sizeof *semaphore, true, RV_SITE());
    rv_watch(RV_STEP_RENEW, semaphore, 0, 0, RV_SITE());
    uint32_t *value = value_of(semaphore);
    if (*value == DESTROYED) RV_MISUSE(semaphore, "destroy of a destroyed semaphore");
    for (uint32_t i = 0; i < rv.fiber_count && *value == 0; i++) {
        const struct rv_fiber *other = rv.fibers[i];
        if (other != rv_self() && other->state == RV_FIBER_ALIVE && other->pending.object == semaphore &&
            other->pending.ready == value_ready)
            RV_MISUSE(semaphore, "destroy of a semaphore on which thread %u waits", other->id);
    }
    *value = DESTROYED;
    return 0;
}

RV_EXPORT int sem_wait(sem_t *semaphore) {
    if (rv_passive())
        return RV_BLOCKING_IF(RV_REAL(sem_trywait)(semaphore), -1, RV_REAL(sem_wait)(semaphore));
    return take_one(semaphore, RV_OP_SEM_WAIT, NULL, RV_SITE());
}

RV_EXPORT int sem_trywait(sem_t *semaphore) {
    if (rv_passive()) return RV_REAL(sem_trywait)(semaphore);
    return take_one(semaphore, RV_OP_SEM_TRYWAIT, NULL, RV_SITE());
}

RV_EXPORT int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict time) {
    struct timespec room;
    if (rv_passive())
        return RV_BLOCKING_IF(
            RV_REAL(sem_trywait)(semaphore), -1,
            RV_REAL(sem_timedwait)(semaphore, rv_native_deadline(CLOCK_REALTIME, time, &room)));
    return timed_wait(semaphore, CLOCK_REALTIME, time, RV_SITE());
}

RV_EXPORT int sem_clockwait(sem_t *restrict semaphore, clockid_t clock,
                            const struct timespec *restrict time) {
    struct timespec room;
    if (rv_passive())
        return RV_BLOCKING_IF(
            RV_REAL(sem_trywait)(semaphore), -1,
            RV_REAL(sem_clockwait)(semaphore, clock, rv_native_deadline(clock, time, &room)));
    return timed_wait(semaphore, clock, time, RV_SITE());
}

RV_EXPORT int sem_post(sem_t *semaphore) {
    if (rv_passive()) return RV_REAL(sem_post)(semaphore);
    checked(semaphore, RV_OP_SEM_POST);
    struct rv_pending pending = RV_PENDING(RV_OP_SEM_POST, semaphore, RV_SITE());
    rv_schedule(&pending);
    uint32_t *value = checked(semaphore, RV_OP_SEM_POST);
    int result = *value < SEM_VALUE_MAX ? 0 : EOVERFLOW;
    if (*value == 0) pending.room = RV_ROOM_NONE;
    if (result == 0) ++*value;
    rv_sync_done(&pending, result);
    return result ? fail_with(result) : 0;
}

RV_EXPORT int sem_getvalue(sem_t *restrict semaphore, int *restrict result) {
    if (rv_passive()) return RV_REAL(sem_getvalue)(semaphore, result);
    checked(semaphore, RV_OP_SEM_GETVALUE);
    struct rv_pending pending = RV_PENDING(RV_OP_SEM_GETVALUE, semaphore, RV_SITE());
    rv_schedule(&pending);
    *result = (int)*checked(semaphore, RV_OP_SEM_GETVALUE);
    rv_done(&pending, (uint64_t)*result, 0);
    return 0;
}
