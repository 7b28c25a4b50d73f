/* pthread_once. glibc's layout: 0 not yet, bit 0 in progress, bit 1 done. While in progress the bits above
 * tell by which thread, for reports. A thread that calls it again from its own initialiser waits for ever, as
 * with glibc. If the initialiser is left by an exception, pthread_exit or cancellation, it counts as not yet
 * called: the unwinder runs abandon(). A control that is done never changes again: no scheduling point.
 */
#include <pthread.h>

#include "runtime/hooks/sync.h"
#include "runtime/real.h"

enum { NOT_YET = 0, IN_PROGRESS = 1, DONE = 2, OWNER_SHIFT = 2 };

static bool once_ready(const struct rv_fiber *fiber) {
    return !(*(const pthread_once_t *)fiber->pending.data & IN_PROGRESS);
}

static void abandon(pthread_once_t **once) {
    if (!*once) return;
    **once = NOT_YET;
    rv_observe_also(RV_OP_ONCE, *once, RV_ROOM_NONE);
}

int rv_once(pthread_once_t *once, void (*initialise)(void), uintptr_t site) {
    rv_sync_check(once, sizeof *once, RV_OP_ONCE, "the once control");
    struct rv_pending pending = RV_PENDING(RV_OP_ONCE, once, site);
    bool over = *once == DONE;
    rv_observe_look(RV_OP_ONCE, once);
    if (!over) {
        pending.data = once;
        pending.ready = once_ready;
        if (*once & IN_PROGRESS) pending.owner = rv_owner_thread(*once >> OWNER_SHIFT);
        rv_schedule(&pending);
    }
    if (*once == DONE) {
        rv_done(&pending, 0, RV_EVENT_LOOKED);
        return 0;
    }
    *once = IN_PROGRESS | rv_owner_self() << OWNER_SHIFT;
    rv_done(&pending, 1, 0);
    pthread_once_t *running __attribute__((cleanup(abandon))) = once;
    initialise();
    running = NULL;
    *once = DONE;
    pending.room = RV_ROOM_NONE;
    rv_done(&pending, 2, 0);
    return 0;
}

RV_EXPORT int pthread_once(pthread_once_t *once, void (*initialise)(void)) {
    if (rv_passive()) return RV_REAL(pthread_once)(once, initialise);
    return rv_once(once, initialise, RV_SITE());
}

RV_ALIAS(pthread_once); /* glibc exports it under both names */
