/* Guards of C++ static local variables (Itanium ABI), and giving way.
 *
 * A guard is 64 bits: byte 0 says initialised (compiled code looks at it before it calls us), byte 1 that a
 * thread is initialising, the upper half holds that thread + 1. The release is a scheduling point, for
 * compiled code reads byte 0 without asking anybody. An initialiser that needs itself waits for ever.
 */
#include <sched.h>
#include <stdint.h>

#include "runtime/hooks/sync.h"
#include "runtime/real.h"
#include "runtime/watch.h"

struct guard {
    uint8_t initialised;
    uint8_t in_progress;
    uint16_t unused;
    int32_t owner;
};
_Static_assert(sizeof(struct guard) == 8, "the size that the ABI gives a guard");

RV_EXPORT int __cxa_guard_acquire(uint64_t *object);
RV_EXPORT void __cxa_guard_release(uint64_t *object);
RV_EXPORT void __cxa_guard_abort(uint64_t *object);
RV_EXPORT int rv_pthread_yield(void) __asm__("pthread_yield"); /* the header makes the name sched_yield's */

static bool guard_ready(const struct rv_fiber *fiber) {
    const struct guard *guard = fiber->pending.data;
    return !guard->in_progress;
}

RV_EXPORT int __cxa_guard_acquire(uint64_t *object) {
    if (rv_passive()) return RV_REAL(__cxa_guard_acquire)(object);
    struct guard *guard = (struct guard *)object;
    struct rv_pending pending = RV_PENDING(RV_OP_ONCE, object, RV_SITE());
    rv_observe_look(RV_OP_ONCE, object);
    if (!guard->initialised) {
        pending.data = guard;
        pending.ready = guard_ready;
        if (guard->in_progress) pending.owner = rv_owner_thread(guard->owner);
        rv_schedule(&pending);
    }
    bool mine = !guard->initialised;
    if (mine) {
        guard->in_progress = 1;
        guard->owner = rv_owner_self();
    }
    rv_done(&pending, mine, mine ? 0 : RV_EVENT_LOOKED);
    return mine;
}

static void finish(uint64_t *object, bool initialised, uintptr_t site) {
    struct guard *guard = (struct guard *)object;
    struct rv_pending pending = RV_PENDING(RV_OP_ONCE, object, site);
    rv_schedule(&pending);
    guard->in_progress = 0;
    guard->owner = 0;
    guard->initialised = initialised;
    if (initialised) rv_watch(RV_STEP_ATOMIC_WRITE, &guard->initialised, 1, RV_ORDER_RELEASE, site);
    rv_done(&pending, initialised ? 2 : 0, 0);
}

RV_EXPORT void __cxa_guard_release(uint64_t *object) {
    if (rv_passive())
        RV_REAL(__cxa_guard_release)(object);
    else
        finish(object, true, RV_SITE());
}

RV_EXPORT void __cxa_guard_abort(uint64_t *object) {
    if (rv_passive())
        RV_REAL(__cxa_guard_abort)(object);
    else
        finish(object, false, RV_SITE());
}

static int yield(uintptr_t site) {
    struct rv_pending pending = RV_PENDING(RV_OP_YIELD, NULL, site);
    rv_schedule(&pending);
    rv_done(&pending, 0, 0);
    return 0;
}

RV_EXPORT int sched_yield(void) {
    if (rv_passive()) return RV_REAL(sched_yield)();
    return yield(RV_SITE());
}

RV_EXPORT int rv_pthread_yield(void) {
    if (rv_passive()) return RV_REAL(sched_yield)();
    return yield(RV_SITE());
}
