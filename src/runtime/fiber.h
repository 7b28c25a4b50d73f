/* Fibers: a program thread's machine state, and how one is made, entered and left.
 *
 * A fiber runs on a context: a stack and a real glibc TLS block. Contexts are made by creating a real pthread
 * on a stack of ours, which reports its FS base and parks for ever; the program's thread then runs on its
 * stack and TLS. A context is used again in the next execution, its TLS block put back as it was made.
 *
 *   operation          | needs                           | guarantees
 *   rv_fiber_create    | CONTROLLED; not the carrier     | a fiber, ALIVE, pending START, in rv.fibers, that
 *                      |                                 | will run rv_thread_main; NULL: no room (EAGAIN)
 *   rv_fiber_finish    | everything of the thread is done| never returns: the fiber is EXITED, others run
 *
 * The first rv_fiber_create of a program must be preceded by rv_worker_snapshot (worker.h): thread.c calls it.
 */
#ifndef RV_RUNTIME_FIBER_H
#define RV_RUNTIME_FIBER_H

#include "runtime/core.h"

/* Stack sizes below are raised to RV_STACK_MIN: hooks need some room on it. */
enum { RV_STACK_MIN = 64 << 10 };

/* stack_size 0: the default of the system (RLIMIT_STACK, 8 MiB if unlimited). created_at: the site of the
 * call. creator is the current fiber; lineage, id, self are set. The caller sets start, argument, detached,
 * signal_mask and whatever else belongs to its family, before anything else runs. */
struct rv_fiber *rv_fiber_create(size_t stack_size, uintptr_t created_at);
/* The current fiber is over: sets EXITED (JOINED if detached: nobody can ask for it any more) and
 * switches to another for ever. The main fiber may do it too (pthread_exit in main). */
_Noreturn void rv_fiber_finish(void);
/* An EXITED fiber has been joined: nobody can ask for it any more, its context is free. */
void rv_fiber_joined(struct rv_fiber *fiber);
/* What a new fiber runs, on its own stack; defined in hooks/thread.c. */
_Noreturn void rv_thread_main(struct rv_fiber *self);

/* The lowest usable address and the size of the current fiber's stack, main's included. */
void rv_fiber_stack(const struct rv_fiber *fiber, uintptr_t *low, size_t *size);

#endif
