/* Barriers, in a layout of our own inside pthread_barrier_t, which is opaque and has no static initialiser.
 *
 * Arriving is one step; the last to arrive wakes the others and gets PTHREAD_BARRIER_SERIAL_THREAD. Those
 * that were woken never look at the barrier again, so whoever is past it may destroy it or take its memory
 * away.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>

#include "runtime/hooks/sync.h"
#include "runtime/native.h"
#include "runtime/real.h"
#include "runtime/watch.h"

#define LIVE      0x62617272u /* in `state` */
#define DESTROYED 0x64656164u

struct barrier {
    unsigned state;
    unsigned count;   /* threads that make a round */
    unsigned arrived; /* in this round */
};
_Static_assert(sizeof(struct barrier) <= sizeof(pthread_barrier_t), "fits into the program's object");

static struct barrier *checked(pthread_barrier_t *object, const char *what) {
    rv_sync_check(object, sizeof *object, RV_OP_BARRIER_WAIT, "the barrier");
    struct barrier *barrier = (struct barrier *)object;
    if (barrier->state == DESTROYED) RV_MISUSE(object, "%s of a destroyed barrier", what);
    if (barrier->state != LIVE) RV_MISUSE(object, "%s of a barrier that was never initialised", what);
    return barrier;
}

RV_EXPORT int pthread_barrier_init(pthread_barrier_t *restrict object,
                                   const pthread_barrierattr_t *restrict attributes, unsigned count) {
    if (rv_passive()) return RV_REAL(pthread_barrier_init)(object, attributes, count);
    if (count == 0 || count > INT_MAX) return EINVAL;
    rv_access(object, sizeof *object, true, RV_SITE());
    rv_watch(RV_STEP_RENEW, object, 0, 0, RV_SITE());
    *(struct barrier *)object = (struct barrier){.state = LIVE, .count = count};
    return 0;
}

RV_EXPORT int pthread_barrier_destroy(pthread_barrier_t *object) {
    if (rv_passive()) return RV_REAL(pthread_barrier_destroy)(object);
    rv_access(object, sizeof *object, true, RV_SITE());
    rv_watch(RV_STEP_RENEW, object, 0, 0, RV_SITE());
    struct barrier *barrier = checked(object, "destroy");
    if (barrier->arrived)
        RV_MISUSE(object, "destroy of a barrier at which %u thread(s) wait", barrier->arrived);
    barrier->state = DESTROYED;
    return 0;
}

RV_EXPORT int pthread_barrier_wait(pthread_barrier_t *object) {
    if (rv_passive()) return RV_BLOCKING(RV_REAL(pthread_barrier_wait)(object));
    checked(object, "wait");
    struct rv_pending pending = RV_PENDING(RV_OP_BARRIER_WAIT, object, RV_SITE());
    rv_schedule(&pending);
    struct barrier *barrier = checked(object, "wait");
    rv_watch(RV_STEP_BARRIER, object, barrier->count, 0, RV_SITE());
    if (++barrier->arrived == barrier->count) {
        barrier->arrived = 0;
        rv_wake_all(object);
        rv_done(&pending, 1, 0);
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    rv_wait_begin(object);
    pending.ready = rv_wait_woken;
    pending.by_wake = true;
    rv_schedule(&pending);
    rv_wait_end();
    rv_sync_done(&pending, 0);
    return 0;
}
