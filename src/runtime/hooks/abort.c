/* abort, failed assertions, and whatever else ends a program because it found something wrong itself.
 *
 * The text that the normal program would print goes to standard error first, so that what a user sees by hand
 * and under ravel is the same. Then the execution ends as a failure of the right kind. A handler of the program
 * for SIGABRT runs before, and may leave by longjmp, as always.
 *
 * libc aborts by itself, too (a smashed stack found by a fortified function, a broken stream); no hook sees
 * that, but the SIGABRT reaches the core's crash handler, and rv_abort_message has what libc said.
 *
 * C++: an exception that nobody catches ends in std::terminate, and that in abort. It is told from a plain abort()
 * in a catch block by a frame of the C++ library's on the stack while an exception is being handled (the
 * standard library says "terminate called after throwing" by the same means). All of C++ is looked up when
 * needed, for C programs do not have it: see uncaught.c.
 */
#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/engine.h" /* rv_fail_at: the place is not that of the hook */
#include "runtime/hooks/outside.h"
#include "runtime/hooks/uncaught.h"

/* ---- what is common ---- */

static bool not_ours(void) { return rv_passive() || rv.mode == RV_DETACHED || !rv.current; }

static void print(const char *text) { (void)rv_sys_write(2, text, strlen(text)); }

/* What fails is this call, not the last operation before it. */
static _Noreturn void fail_here(enum rv_kind kind, uintptr_t site, const char *text) {
    rv_schedule_failure(site);
    rv.current->pending = RV_PENDING(RV_OP_NONE, NULL, site);
    rv_fail_at(kind, site, 0, false, text);
}

/* The program's handler for SIGABRT, if it has one. It may not come back. */
static void run_abort_handler(void) {
    uint64_t mask = rv_signal_mask(rv.current);
    rv_signal_set_mask(rv.current, mask & ~rv_signal_bit(SIGABRT));
    void (*handler)(int) = rv_signal_action(SIGABRT)->sa_handler;
    if (handler == SIG_DFL || handler == SIG_IGN) return;
    siginfo_t info = {.si_signo = SIGABRT, .si_code = SI_TKILL};
    info.si_pid = rv_sys_getpid();
    rv_signal_send(rv.current, SIGABRT, &info);
    (void)rv_signals_run();
}

/* ---- abort ---- */

const char *rv_abort_message(void) {
    /* What debuggers and core dumps are shown: a pointer to a size and the text. */
    struct message {
        unsigned size;
        char text[];
    };
    static char copy[256];
    rv.internal++;
    struct message **found = dlvsym(RTLD_DEFAULT, "__abort_msg", "GLIBC_PRIVATE");
    rv.internal--;
    if (!found || !*found) return NULL;
    size_t length = 0;
    for (const char *from = (*found)->text; from[length] && from[length] != '\n' && length < sizeof copy - 1;
         length++)
        copy[length] = from[length];
    copy[length] = 0;
    return length ? copy : NULL;
}

static _Noreturn void fail_by_abort(uintptr_t site) {
    char text[RV_MAX_MESSAGE];
    switch (rv_uncaught_describe(&site, text, sizeof text)) {
    case RV_UNCAUGHT_EXCEPTION: fail_here(RV_KIND_UNCAUGHT, site, text);
    case RV_UNCAUGHT_TERMINATE:
        fail_here(RV_KIND_ABORT, site, "std::terminate called without an active exception");
    case RV_UNCAUGHT_NOT: break;
    }
    fail_here(RV_KIND_ABORT, site, "abort called");
}

RV_EXPORT void abort(void) {
    if (not_ours()) RV_REAL(abort)();
    uintptr_t site = RV_SITE();
    run_abort_handler();
    fail_by_abort(site);
}

/* ---- assertions ---- */

_Noreturn void rv_assertion(const char *file, unsigned line, const char *function, const char *what,
                            uintptr_t site) {
    char text[RV_MAX_MESSAGE];
    if (not_ours()) {
        (void)fprintf(stderr, "%s:%u: %s: %s\n", file, line, function ? function : "", what);
        RV_REAL(abort)();
    }
    rv.internal++;
    (void)snprintf(text, sizeof text, "%s%s%s:%u: %s%s%s.\n", program_invocation_short_name,
                   program_invocation_short_name[0] ? ": " : "", file, line, function ? function : "",
                   function ? ": " : "", what);
    rv.internal--;
    print(text);
    run_abort_handler();
    rv.internal++;
    (void)snprintf(text, sizeof text, "%s:%u: %s%s%s", file, line, function ? function : "",
                   function ? ": " : "", what);
    rv.internal--;
    fail_here(RV_KIND_ASSERT, site, text);
}

static _Noreturn void failed(const char *expression, const char *file, unsigned line, const char *function,
                             uintptr_t site) {
    if (not_ours()) RV_REAL(__assert_fail)(expression, file, line, function);
    char what[RV_MAX_MESSAGE];
    rv.internal++;
    (void)snprintf(what, sizeof what, "Assertion `%s' failed", expression);
    rv.internal--;
    rv_assertion(file, line, function, what, site);
}

RV_EXPORT void __assert_fail(const char *expression, const char *file, unsigned line, const char *function) {
    failed(expression, file, line, function, RV_SITE());
}

RV_EXPORT void __assert(const char *expression, const char *file, int line) {
    failed(expression, file, (unsigned)line, NULL, RV_SITE());
}

RV_EXPORT void __assert_perror_fail(int error, const char *file, unsigned line, const char *function) {
    if (not_ours()) RV_REAL(__assert_perror_fail)(error, file, line, function);
    char what[RV_MAX_MESSAGE];
    rv.internal++;
    const char *description = strerrordesc_np(error);
    (void)snprintf(what, sizeof what, "Unexpected error: %s", description ? description : "unknown");
    rv.internal--;
    rv_assertion(file, line, function, what, RV_SITE());
}

/* ---- what the compiler and libc check ---- */

static _Noreturn void terminated(const char *text, uintptr_t site) {
    char line[128];
    rv.internal++;
    (void)snprintf(line, sizeof line, "*** %s ***: terminated\n", text);
    rv.internal--;
    print(line);
    run_abort_handler();
    fail_here(RV_KIND_ABORT, site, text);
}

_Noreturn void __stack_chk_fail(void);
RV_EXPORT _Noreturn void __stack_chk_fail(void) {
    if (not_ours()) {
        RV_REAL(__stack_chk_fail)();
        __builtin_unreachable();
    }
    terminated("stack smashing detected", RV_SITE());
}

_Noreturn void __chk_fail(void);
RV_EXPORT _Noreturn void __chk_fail(void) {
    if (not_ours()) {
        RV_REAL(__chk_fail)();
        __builtin_unreachable();
    }
    terminated("buffer overflow detected", RV_SITE());
}

/* ---- C++: what vtables of abstract classes point to ---- */

static _Noreturn void bad_virtual_call(const char *name, const char *text, uintptr_t site) {
    if (not_ours()) {
        void (*real)(void) = (void (*)(void))rv_real_lookup(name);
        real();
        __builtin_unreachable();
    }
    print(text);
    print("\n");
    run_abort_handler();
    fail_here(RV_KIND_ABORT, site, text);
}

_Noreturn void __cxa_pure_virtual(void);
RV_EXPORT _Noreturn void __cxa_pure_virtual(void) {
    bad_virtual_call("__cxa_pure_virtual", "pure virtual method called", RV_SITE());
}

_Noreturn void __cxa_deleted_virtual(void);
RV_EXPORT _Noreturn void __cxa_deleted_virtual(void) {
    bad_virtual_call("__cxa_deleted_virtual", "deleted virtual method called", RV_SITE());
}
