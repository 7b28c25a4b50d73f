/* The runtime's side of the events and tests of include/ravel.h (not included, as in api.c). A child that the program
 * forked runs by itself: its events mean nothing. */
#include "runtime/events.h"

#include <stdio.h>

#include "runtime/hooks/outside.h"
#include "runtime/native_events.h"
#include "runtime/tests.h"

RV_EXPORT void ravel__register(struct rv_registration *registration);
RV_EXPORT int ravel__enter(const char *test);
RV_EXPORT void ravel__leave(const char *test);
RV_EXPORT void ravel__event(const char *name);
RV_EXPORT void ravel__thread(const char *name);
RV_EXPORT const char *ravel__schedule(void);
RV_EXPORT _Noreturn void ravel__failed(const char *file, int line, const char *function, const char *text);

static bool controlled(void) { return !rv_passive() && rv.mode != RV_DETACHED && rv.current; }

void ravel__register(struct rv_registration *registration) { rv_test_register(registration); }

int ravel__enter(const char *test) {
    enum { ABOVE_FRAME = 16 }; /* our own frame pointer and return address; then the stack is the caller's */
    return rv_test_enter(test, (uintptr_t)__builtin_frame_address(0) + ABOVE_FRAME, RV_SITE());
}

void ravel__leave(const char *test) { rv_test_leave(test, RV_SITE()); }

void ravel__event(const char *name) {
    if (controlled())
        rv_event(name, RV_SITE());
    else if (rv.mode == RV_PASSIVE)
        rv_native_event(name);
}

void ravel__thread(const char *name) {
    if (controlled())
        rv_event_start(name, RV_SITE());
    else if (rv.mode == RV_PASSIVE)
        rv_native_start(name);
}

const char *ravel__schedule(void) { return rv_test_schedule(); }

/* The body of a RAVEL_TEST has a name of its own, which nobody has written. */
static const char *without_prefix(const char *function) {
    static const char body[] = "ravel__test_";
    return memcmp(function, body, strnlen(function, sizeof body - 1)) == 0 && strlen(function) >= sizeof body
               ? function + sizeof body - 1
               : function;
}

static bool controlled_thread(uint32_t *number, const char **name) {
    if (rv.mode == RV_PASSIVE || rv.mode == RV_DETACHED || !rv.current) return false;
    const struct rv_fiber *self = rv_self();
    *number = self->id;
    *name = self->id == 0 ? "main" : self->name[0] ? self->name : NULL;
    return true;
}

void ravel__failed(const char *file, int line, const char *function, const char *text) {
    uintptr_t site = RV_SITE();
    char what[RV_MAX_MESSAGE];
    char thread[RV_PLAN_NAME + 24];
    const char *name = NULL;
    uint32_t number = 0;
    rv.internal++;
    if (controlled_thread(&number, &name) || rv_native_thread(&number, &name))
        (void)snprintf(thread, sizeof thread, name ? " (thread %u, %s)" : " (thread %u)", number, name);
    else
        thread[0] = 0;
    (void)snprintf(what, sizeof what, "%s%s", text, thread);
    rv.internal--;
    if (rv.mode == RV_PASSIVE) rv_native_failed(what);
    rv_assertion(file, (unsigned)line, without_prefix(function), what, site);
}
