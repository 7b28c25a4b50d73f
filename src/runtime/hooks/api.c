/* The runtime's side of include/ravel.h. The header is not included: its declarations are weak references, and would
 * make the definitions weak. */
#include "runtime/core.h"
#include "runtime/watch.h"

RV_EXPORT int ravel__active(void);
RV_EXPORT void ravel__point(void);
RV_EXPORT void ravel__yield(void);
RV_EXPORT void ravel__access(const volatile void *address, size_t size, int is_write);
RV_EXPORT void ravel__order(const volatile void *object, int before);
RV_EXPORT void ravel__benign(const volatile void *address, size_t size);

/* A child that the program forked runs by itself: nobody steers it. */
int ravel__active(void) { return rv.mode == RV_SINGLE || rv.mode == RV_CONTROLLED; }

static void point(enum rv_op op, uintptr_t site) {
    struct rv_pending pending = RV_PENDING(op, NULL, site);
    rv_schedule(&pending);
    rv_done(&pending, 0, 0);
}

void ravel__point(void) {
    if (rv_passive()) return;
    point(RV_OP_POINT, RV_SITE());
}

void ravel__yield(void) {
    if (rv_passive()) return;
    point(RV_OP_YIELD, RV_SITE());
}

void ravel__access(const volatile void *address, size_t size, int is_write) {
    if (rv_passive() || size == 0) return;
    rv_access((const void *)address, size, is_write != 0, RV_SITE());
}

void ravel__order(const volatile void *object, int before) {
    if (!rv_passive()) rv_watch(before ? RV_STEP_BEFORE : RV_STEP_AFTER, object, 0, 0, RV_SITE());
}

void ravel__benign(const volatile void *address, size_t size) {
    if (!rv_passive()) rv_watch_benign((uintptr_t)address, size, RV_SITE());
}
