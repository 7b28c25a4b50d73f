/* Spinlocks. glibc on x86-64 has 1 for free and anything below for held; we hold with -(thread + 1), so that
 * the owner is known. Zeroed memory is a spinlock that nobody can take, as with glibc: there
 * pthread_spin_init is not optional. Nobody spins here: a held lock makes its thread wait, so that a
 * schedule does not consist of attempts, and a lock that never comes free is a deadlock.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>

#include "runtime/hooks/sync.h"
#include "runtime/real.h"

enum { FREE = 1, DESTROYED = INT_MIN };

static void check(const pthread_spinlock_t *lock, enum rv_op op) {
    rv_sync_check((const void *)lock, sizeof *lock, op, "the spinlock");
    if (*lock == DESTROYED) RV_MISUSE(lock, "%s of a destroyed spinlock", rv_op_names[op]);
    if (*lock > FREE || *lock < -(int)rv.fiber_count)
        RV_MISUSE(lock, "%s of a spinlock that was never initialised", rv_op_names[op]);
}

static bool lock_ready(const struct rv_fiber *fiber) {
    return *(const pthread_spinlock_t *)fiber->pending.data == FREE;
}

uint32_t rv_spin_owner(const pthread_spinlock_t *lock) {
    return *lock < 0 && *lock != DESTROYED ? rv_owner_thread(-*lock) : RV_NO_THREAD;
}

static int take_when_free(pthread_spinlock_t *lock, enum rv_op op, uintptr_t site) {
    check(lock, op);
    struct rv_pending pending = RV_PENDING(op, (const void *)lock, site);
    pending.data = (void *)lock;
    pending.owner = rv_spin_owner(lock);
    if (op == RV_OP_SPINLOCK) pending.ready = lock_ready;
    rv_schedule(&pending);
    check(lock, op);
    assert(*lock == FREE || op == RV_OP_SPINTRYLOCK);
    int result = *lock == FREE ? 0 : EBUSY;
    if (result) pending.room = RV_ROOM_NONE;
    if (result == 0) {
        *lock = -rv_owner_self();
        rv_held_add((const void *)lock, RV_OP_SPINLOCK, site);
    }
    rv_sync_done(&pending, result);
    return result;
}

RV_EXPORT int pthread_spin_init(pthread_spinlock_t *lock, int shared) {
    if (rv_passive()) return RV_REAL(pthread_spin_init)(lock, shared);
    rv_access((const void *)lock, sizeof *lock, true, RV_SITE());
    *lock = FREE;
    return 0;
}

RV_EXPORT int pthread_spin_destroy(pthread_spinlock_t *lock) {
    if (rv_passive()) return RV_REAL(pthread_spin_destroy)(lock);
    rv_access((const void *)lock, sizeof *lock, true, RV_SITE());
    if (*lock == DESTROYED) RV_MISUSE(lock, "destroy of a destroyed spinlock");
    if (*lock < 0) RV_MISUSE(lock, "destroy of a locked spinlock");
    *lock = DESTROYED;
    return 0;
}

RV_EXPORT int pthread_spin_lock(pthread_spinlock_t *lock) {
    if (rv_passive()) return RV_REAL(pthread_spin_lock)(lock);
    return take_when_free(lock, RV_OP_SPINLOCK, RV_SITE());
}

RV_EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock) {
    if (rv_passive()) return RV_REAL(pthread_spin_trylock)(lock);
    return take_when_free(lock, RV_OP_SPINTRYLOCK, RV_SITE());
}

RV_EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock) {
    if (rv_passive()) return RV_REAL(pthread_spin_unlock)(lock);
    check(lock, RV_OP_SPINUNLOCK);
    struct rv_pending pending = RV_PENDING(RV_OP_SPINUNLOCK, (const void *)lock, RV_SITE());
    pending.room = RV_ROOM_NONE;
    rv_schedule(&pending);
    check(lock, RV_OP_SPINUNLOCK);
    if (*lock == FREE) RV_MISUSE(lock, "unlock of a spinlock that is not locked");
    if (*lock == 0) RV_MISUSE(lock, "unlock of a spinlock that was never initialised");
    if (*lock != -rv_owner_self())
        RV_MISUSE(lock, "unlock of a spinlock that thread %u holds", rv_spin_owner(lock));
    *lock = FREE;
    rv_held_remove((const void *)lock);
    rv_sync_done(&pending, 0);
    return 0;
}
