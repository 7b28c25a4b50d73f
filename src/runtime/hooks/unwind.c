/* How a thread begins and how it ends.
 *
 * The end of a thread, in this order, as glibc does it:
 *   1. its stack is unwound by force (pthread_exit, cancellation), innermost frame first: destructors of C++ objects,
 *      clean-up attributes of C compiled with -fexceptions, and clean-up handlers of either of the kinds below
 *   2. destructors of C++ thread_local objects, then of thread-specific data
 *   3. the EXIT operation: robust mutexes learn it, joiners can go on; the last thread ends the process with exit(0)
 * A thread whose function returns starts at 2. Of a main thread that calls pthread_exit while others go on, glibc leaves
 * the thread_local objects alone; so do we.
 *
 * Clean-up handlers without unwind tables come in two kinds, both in buffers that lie in the frames that registered
 * them, chained innermost first:
 *   jump buffers   pthread_cleanup_push in plain C; the chain is ours (fiber->cleanup). The handler is inside the
 *                  frame: we jump there, it runs, and it comes back through __pthread_unwind_next, from where
 *                  unwinding goes on.
 *   old buffers    _pthread_cleanup_push, in programs of long ago and inside glibc itself (vfprintf unlocks its file
 *                  so); the chain is glibc's, in the thread's TLS block. A function and its argument.
 * The unwinder tells us each frame before it leaves it. A buffer that lies below the stack pointer of the frame it is
 * at belongs to a frame already left: its handler is due. (One frame late, so that nobody needs to know how a jump
 * buffer hides its stack pointer; plain C has nothing to clean up by itself, so nobody can tell.)
 *
 * Nothing below the program's first function may catch: an exception that leaves it must find no handler, so that
 * std::terminate is called where it was thrown. rv_thread_main therefore has neither clean-ups nor handlers; the
 * unwinding by force ends in it with a jump (fiber->exit_frame). The main thread has no such frame: when all of its
 * frames are left, the rest runs on top of them, in rest_of_main, which is from then on its last frame.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <unwind.h>

#include "runtime/engine.h"
#include "runtime/events.h"
#include "runtime/fiber.h"
#include "runtime/hooks/outside.h"
#include "runtime/hooks/sync.h"
#include "runtime/hooks/threads.h"
#include "runtime/real.h"
#include "runtime/sys.h"
#include "runtime/watch.h"

_Static_assert(offsetof(__pthread_unwind_buf_t, __cancel_jmp_buf) == 0,
               "a jump buffer begins with what longjmp wants");

/* glibc's own, used for our threads as glibc does for its own. */
void __ctype_init(void);
void __call_tls_dtors(void);
void _pthread_cleanup_push(struct _pthread_cleanup_buffer *buffer, void (*routine)(void *), void *argument);
void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *buffer, int execute);

enum { PREVIOUS = 0, CANCEL_TYPE = 2 }; /* our use of a jump buffer's spare words; glibc's is the same */

static bool others_alive(const struct rv_fiber *self) {
    for (uint32_t i = 0; i < rv.fiber_count; i++)
        if (rv.fibers[i] != self && rv.fibers[i]->state == RV_FIBER_ALIVE) return true;
    return false;
}

/* Where main called pthread_exit or was cancelled: it has no function to name as the place of its end. */
static uintptr_t main_left_at;

/* Steps 2 and 3. */
static _Noreturn void end(void) {
    struct rv_fiber *self = rv_self();
    rv_signal_unwind(UINTPTR_MAX, false); /* signal handlers that were left are over */
    self->cleanup = NULL;
    self->depth = 0;                                /* whatever frames there were, they are gone */
    if (self->id != 0) RV_REAL(__call_tls_dtors)(); /* main's run in exit(), if main is the last */
    rv_keys_destroy();
    rv_event_end(self->start ? (uintptr_t)self->start + 1 : main_left_at);
    struct rv_pending pending = RV_PENDING(RV_OP_EXIT, rv_thread_object(self),
                                           self->start ? (uintptr_t)self->start + 1 : main_left_at);
    pending.room = RV_ROOM_NONE; /* for a join */
    rv_schedule(&pending);
    if (!others_alive(
            self)) { /* glibc counts its threads by an atomic: all that the others did comes before */
        rv_watch(RV_STEP_RECEIVE, &main_left_at, 0, 0, pending.site);
        exit(0);
    }
    rv_watch(RV_STEP_SEND, &main_left_at, 0, 0, pending.site);
    rv_mutex_owner_died(self);
    if (self->stack_escaped) rv_observe_stack(self, true);
    rv_done(&pending, 0, 0);
    rv_fiber_finish();
}

/* Everything that can be lost by the second return of a setjmp is asked for again. */
_Noreturn void rv_thread_main(struct rv_fiber *self) {
    void *frame[5];
    self->exit_frame = frame;
    RV_REAL(__ctype_init)(); /* the locale of now, not of when the TLS block was made */
    if (__builtin_setjmp(frame) == 0) {
        void *result = self->start(self->argument);
        rv_self()->result = result;
    }
    end();
}

static __attribute__((noinline)) _Noreturn void rest_of_main(void) {
    void *frame[5];
    rv_self()->exit_frame = frame;
    (void)__builtin_setjmp(frame); /* a destructor may call pthread_exit again */
    end();
}

/* Step 1. */

/* The innermost old buffer. Nobody tells us, but a new one is told its predecessor. */
static struct _pthread_cleanup_buffer *innermost_old(void) {
    struct _pthread_cleanup_buffer probe = {0};
    RV_REAL(_pthread_cleanup_push)(&probe, NULL, NULL);
    RV_REAL(_pthread_cleanup_pop)(&probe, 0);
    return probe.__prev;
}

/* The handlers of all frames below this address. Of two, the one that lies lower is the inner one. */
static void run_handlers_below(struct rv_fiber *self, uintptr_t stack) {
    for (;;) {
        uintptr_t jump = self->cleanup ? (uintptr_t)self->cleanup : UINTPTR_MAX;
        struct _pthread_cleanup_buffer *buffer = innermost_old();
        uintptr_t old = buffer ? (uintptr_t)buffer : UINTPTR_MAX;
        if (old < jump && old < stack) {
            RV_REAL(_pthread_cleanup_pop)(buffer, 1);
            continue;
        }
        if (jump >= stack) return;
        __pthread_unwind_buf_t *frame = self->cleanup;
        self->cleanup = frame->__pad[PREVIOUS];
        RV_REAL(longjmp)((void *)frame, 1);
    }
}

static _Unwind_Reason_Code leave_frame(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                       struct _Unwind_Exception *exception, struct _Unwind_Context *context,
                                       void *unused) {
    (void)version, (void)class, (void)exception, (void)unused;
    struct rv_fiber *self = rv_self();
    uintptr_t stack = _Unwind_GetCFA(context);
    bool last = (actions & _UA_END_OF_STACK) || (self->exit_frame && stack > (uintptr_t)self->exit_frame);
    run_handlers_below(self, last ? UINTPTR_MAX : stack);
    if (!last) return _URC_NO_REASON;
    if (!self->exit_frame) rest_of_main();
    __builtin_longjmp(self->exit_frame, 1);
}

/* A catch (...) that does not throw it on: the C++ runtime gives the exception up. */
static void swallowed(_Unwind_Reason_Code reason, struct _Unwind_Exception *exception) {
    (void)reason, (void)exception;
    rv_fail(RV_KIND_ABORT, "a catch (...) swallowed the end of the thread (exception not rethrown)");
}

/* One for all threads: it says nothing that differs between them, and must outlive the frames it unwinds. */
static struct _Unwind_Exception unwinding = {.exception_cleanup = swallowed};

static _Noreturn void unwind(void) {
    (void)_Unwind_ForcedUnwind(&unwinding, leave_frame, NULL);
    /* Only if a frame's unwind information is damaged. */
    rv_fail(RV_KIND_ABORT, "the stack of an ending thread cannot be unwound");
}

_Noreturn void rv_thread_exit(void *result) {
    struct rv_fiber *self = rv_self();
    if (self->id == 0) main_left_at = self->pending.site;
    self->result = result;
    self->cancelling = true;
    unwind();
}

_Noreturn void rv_thread_leave(void *result, uintptr_t site) {
    rv_thread_at(RV_OP_EXIT, site);
    /* POSIX: undefined in a clean-up handler or destructor that runs because the thread ends. */
    if (rv_self()->cancelling) rv_fail(RV_KIND_MISUSE, "pthread_exit in a thread that is ending already");
    rv_thread_exit(result);
}

static _Unwind_Reason_Code stop_here(struct _Unwind_Context *context, void *unused) {
    (void)context, (void)unused;
    return _URC_END_OF_STACK;
}

void rv_unwind_prepare(void) {
    rv.internal++;
    (void)_Unwind_Backtrace(stop_here, NULL);
    rv.internal--;
}

/* The interposed functions. */

RV_EXPORT _Noreturn void pthread_exit(void *result) {
    if (rv_threads_passive()) RV_REAL(pthread_exit)(result);
    rv_thread_leave(result, RV_SITE());
}

/* What the macros of pthread.h call; its declarations hide from code compiled with -fexceptions, as ours. */
RV_EXPORT void __pthread_register_cancel(__pthread_unwind_buf_t *buffer);
RV_EXPORT void __pthread_unregister_cancel(__pthread_unwind_buf_t *buffer);
RV_EXPORT void __pthread_register_cancel_defer(__pthread_unwind_buf_t *buffer);
RV_EXPORT void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t *buffer);
RV_EXPORT _Noreturn void __pthread_unwind_next(__pthread_unwind_buf_t *buffer);
static int defer(void) {
    int type;
    (void)pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    return type;
}

RV_EXPORT void __pthread_register_cancel(__pthread_unwind_buf_t *buffer) {
    if (rv_threads_passive()) {
        RV_REAL(__pthread_register_cancel)(buffer);
        return;
    }
    struct rv_fiber *self = rv_self();
    buffer->__pad[PREVIOUS] = self->cleanup;
    self->cleanup = buffer;
}

RV_EXPORT void __pthread_unregister_cancel(__pthread_unwind_buf_t *buffer) {
    if (rv_threads_passive())
        RV_REAL(__pthread_unregister_cancel)(buffer);
    else
        rv_self()->cleanup = buffer->__pad[PREVIOUS];
}

RV_EXPORT void __pthread_register_cancel_defer(__pthread_unwind_buf_t *buffer) {
    if (rv_threads_passive()) {
        RV_REAL(__pthread_register_cancel_defer)(buffer);
        return;
    }
    __pthread_register_cancel(buffer);
    buffer->__pad[CANCEL_TYPE] = (void *)(intptr_t)defer();
}

RV_EXPORT void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t *buffer) {
    if (rv_threads_passive()) {
        RV_REAL(__pthread_unregister_cancel_restore)(buffer);
        return;
    }
    __pthread_unregister_cancel(buffer);
    (void)pthread_setcanceltype((int)(intptr_t)buffer->__pad[CANCEL_TYPE], NULL);
}

RV_EXPORT _Noreturn void __pthread_unwind_next(__pthread_unwind_buf_t *buffer) {
    if (rv_threads_passive()) RV_REAL(__pthread_unwind_next)(buffer);
    rv_self()->cleanup = buffer->__pad[PREVIOUS];
    unwind();
}
