/* The program's exit ends the execution, not the process.
 *
 * exit() may be called, or main may return, and then libc calls its own exit where no hook sees it. So the end is
 * caught behind all of it: an on_exit handler, registered by the runtime's constructor before anybody else
 * registers one, runs after all others, the program's destructors included (those are run by a handler that
 * libc registers later). It flushes the streams as exit would, and ends the execution with the status.
 *
 *   exit, return from main  handlers run in the thread that exits; other threads go on meanwhile, as they do
 *                           in reality, and may collide with destructors: such bugs are found
 *   exit by two threads     the second waits for ever, as POSIX.1-2024 and newer glibc have it
 *   exit in a handler       the handlers that are left run, the last status counts
 *   _exit, _Exit            at once, in whatever thread
 *   quick_exit              handlers of at_quick_exit, no flush
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/hooks/child.h"
#include "runtime/hooks/outside.h"
#include "runtime/tests.h"

static uint32_t exiting;    /* the thread in exit(), + 1; 0: none */
static uintptr_t exit_site; /* where exit() was called; 0: main returned */
static int quick_exit_status;

void rv_exit_restore(void) {
    exiting = 0;
    exit_site = 0;
}

static bool ends_execution(void) { return !rv_passive() && rv.mode != RV_DETACHED; }

/* The end itself: the last point at which others can go on. Return from main has no other, and after exit() the
 * handlers may have changed what others see. */
static void last_point(uintptr_t site) {
    struct rv_pending pending = RV_PENDING(RV_OP_EXIT, NULL, site);
    (void)rv_schedule(&pending);
    rv_done(&pending, 0, 0);
}

/* Whoever ends the program with success must have run the chosen test. */
static void check_test(int status, bool in_order, uintptr_t site) {
    if (rv.current && (status & 0xff) == rv.config->expect_exit) rv_test_exit(in_order, site);
}

static void after_all_handlers(int status, void *unused) {
    (void)unused;
    if (!ends_execution()) return;
    check_test(status, true, exit_site);
    if (rv.current) last_point(exit_site);
    rv.internal++;
    (void)RV_REAL(fcloseall)(); /* what exit does: flushes without waiting for the streams' locks */
    rv.internal--;
    rv_exit(status & 0xff);
}

static void after_all_quick_handlers(void) {
    if (!ends_execution()) return;
    check_test(quick_exit_status, false, exit_site);
    if (rv.current) last_point(exit_site);
    rv_exit(quick_exit_status & 0xff);
}

void rv_exit_start(void) {
    (void)on_exit(after_all_handlers, NULL);
    (void)at_quick_exit(after_all_quick_handlers);
}

/* Who comes first. */
static void point(uintptr_t site) {
    struct rv_pending pending = RV_PENDING(RV_OP_EXIT, &exiting, site);
    bool other = exiting && exiting - 1 != rv.current->id;
    if (other) {
        pending.ready = rv_never;
        pending.owner = exiting - 1;
    }
    (void)rv_schedule(&pending);
    RV_INVARIANT(!other);
    rv_done(&pending, 0, 0);
    if (exiting && exiting - 1 != rv.current->id) point(site); /* somebody was faster */
    exiting = rv.current->id + 1;
    exit_site = site;
}

RV_EXPORT void exit(int status) {
    if (ends_execution() && rv.current) point(RV_SITE());
    RV_REAL(exit)(status);
    __builtin_unreachable();
}

RV_EXPORT void quick_exit(int status) {
    quick_exit_status = status;
    if (ends_execution() && rv.current) point(RV_SITE());
    RV_REAL(quick_exit)(status);
    __builtin_unreachable();
}

_Noreturn void rv_exit_now(int status, uintptr_t site) {
    if (!ends_execution()) rv_sys_exit_group(status);
    check_test(status, false, site);
    last_point(site);
    rv_exit(status & 0xff);
}

RV_EXPORT void _exit(int status) { rv_exit_now(status, RV_SITE()); }
RV_EXPORT void _Exit(int status) { rv_exit_now(status, RV_SITE()); }
