/* fork, clone, and what a process is: the calls that make a copy of it.
 *
 * The child of a fork is DETACHED: it runs the program's code with fibers, but nobody steers or records. It
 * must become so before any of its code runs, and glibc's fork runs the program's own atfork handlers before
 * it returns. Those run in the order of registration, so ours is registered first, by the runtime's
 * constructor. vfork is fork: a child that shares our memory would share the scheduler.
 *
 * All fibers run on one kernel thread, so gettid would be the same for all: it is made up from the process' number
 * and the thread's.
 */
#include <sched.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "runtime/hooks/child.h"
#include "runtime/hooks/outside.h"

/* ---- thread numbers ---- */

pid_t rv_thread_id(const struct rv_fiber *fiber) { return rv_sys_getpid() + (pid_t)fiber->id; }

RV_EXPORT pid_t gettid(void) {
    if (rv_passive() || !rv.current) return RV_REAL(gettid)();
    return rv_thread_id(rv.current);
}

/* ---- fork ---- */

void rv_process_forked(void) {
    if (rv.mode == RV_DETACHED) return;
    rv_detach();
    rv_signals_forked();
    rv_timers_forked();
    rv_children_forked();
    /* A worker that is killed takes its children along. */
    (void)rv_sys2(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
}

static void in_child(void) {
    if (!rv_passive()) rv_process_forked();
}

void rv_process_start(void) {
    (void)pthread_atfork(NULL, NULL, in_child);
    rv_exit_start();
    rv_signals_begin();
}

pid_t rv_fork(uintptr_t site) {
    if (rv.mode == RV_DETACHED) return RV_REAL(fork)();
    struct rv_pending pending = RV_PENDING(RV_OP_FORK, NULL, site);
    (void)rv_schedule(&pending);
    rv_child_prepare();
    /* It may write to whatever the parent has open, and memory restore does not see that. */
    if (rv.mode == RV_CONTROLLED) rv_need_fork("it forks while threads run");
    pid_t pid = RV_REAL(fork)();
    if (pid == 0) return 0;
    rv_child_started(pid);
    rv_done(&pending, 0, pid < 0 ? RV_EVENT_FAILED : 0);
    return pid;
}

RV_EXPORT pid_t fork(void) {
    if (rv_passive()) return RV_REAL(fork)();
    return rv_fork(RV_SITE());
}

RV_EXPORT pid_t __fork(void);
RV_EXPORT pid_t __fork(void) {
    if (rv_passive()) return RV_REAL(fork)();
    return rv_fork(RV_SITE());
}

/* Without atfork handlers. */
RV_EXPORT pid_t _Fork(void) {
    pid_t pid = RV_REAL(_Fork)();
    if (rv_passive() || rv.mode == RV_DETACHED) return pid;
    if (pid == 0)
        rv_process_forked();
    else
        rv_child_started(pid);
    return pid;
}

/* vfork returns twice on one stack, so nothing may stand between the caller and the real one: a jump. fork does
 * what callers of vfork rely on, except that a failed exec cannot tell the parent by a variable. */
static pid_t fork_for_vfork(void) { return rv_fork(RV_SITE()); }

__attribute__((used)) static void *choose_vfork(void) {
    return rv_passive() ? (void *)&RV_REAL(vfork) : (void *)fork_for_vfork;
}

__attribute__((naked)) RV_EXPORT pid_t vfork(void) {
    __asm__("sub $8, %rsp\n\tcall choose_vfork\n\tadd $8, %rsp\n\tjmp *%rax");
}

__attribute__((naked)) RV_EXPORT pid_t __vfork(void);
__attribute__((naked)) RV_EXPORT pid_t __vfork(void) {
    __asm__("sub $8, %rsp\n\tcall choose_vfork\n\tadd $8, %rsp\n\tjmp *%rax");
}

/* ---- clone ---- */

struct clone_start {
    int (*function)(void *);
    void *argument;
};

static int clone_start(void *argument) {
    struct clone_start start =
        *(struct clone_start *)argument; /* the child's own copy of the parent's stack */
    rv_process_forked();
    return start.function(start.argument);
}

RV_EXPORT int clone(int (*function)(void *), void *stack, int flags, void *argument, ...) {
    va_list more;
    va_start(more, argument);
    pid_t *parent_tid = va_arg(more, pid_t *);
    void *tls = va_arg(more, void *);
    pid_t *child_tid = va_arg(more, pid_t *);
    va_end(more);
    if (rv_passive() || rv.mode == RV_DETACHED)
        return RV_REAL(clone)(function, stack, flags, argument, parent_tid, tls, child_tid);
    if ((flags & CLONE_VM) && !(flags & CLONE_VFORK))
        rv_unusable(
            "the program makes threads by clone(CLONE_VM): ravel controls POSIX and C11 threads only");
    struct rv_pending pending = RV_PENDING(RV_OP_FORK, NULL, RV_SITE());
    (void)rv_schedule(&pending);
    rv_child_prepare();
    struct clone_start start = {function, argument};
    flags &= ~(CLONE_VM | CLONE_VFORK); /* as with vfork */
    int pid = RV_REAL(clone)(clone_start, stack, flags, &start, parent_tid, tls, child_tid);
    rv_child_started(pid);
    rv_done(&pending, 0, pid < 0 ? RV_EVENT_FAILED : 0);
    return pid;
}

/* ---- daemon ---- */

/* A daemon leaves its parent; ours would leave ravel. It stays, with everything else that daemon does. */
RV_EXPORT int daemon(int keep_directory, int keep_descriptors) {
    if (rv_passive() || rv.mode == RV_DETACHED) return RV_REAL(daemon)(keep_directory, keep_descriptors);
    rv_note("the program calls daemon(): under ravel it stays in the foreground");
    if (!keep_directory && chdir("/")) return -1;
    if (keep_descriptors) return 0;
    long null = rv_sys_open("/dev/null", 2 /* O_RDWR */, 0);
    if (rv_sys_failed(null)) return (int)rv_result(null);
    for (int fd = 0; fd <= 2; fd++) (void)dup2((int)null, fd);
    if (null > 2) (void)rv_sys_close((int)null);
    return 0;
}
