/* The calls that send signals.
 *
 * To a thread or to this process: virtual, see signal.c. To a process group that contains us, and to
 * everybody (kill(-1)): this process only, for the group is the worker's, not the program's. To our parent,
 * which is ravel itself: not carried out, and said so. To anybody else, children above all: the kernel's.
 *
 * Sending is a scheduling point of its own. What the sender does not block itself is delivered before the call
 * returns, if the signal has come to it.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/hooks/outside.h"

static int fail_with(int error) {
    errno = error;
    return -1;
}

static void point(uintptr_t site, struct rv_pending *pending) {
    *pending = RV_PENDING(RV_OP_KILL, rv_signal_object, site);
    (void)rv_schedule(pending);
}

static void deliver_own(void) {
    if (!rv_signals_wanted(rv.current)) return;
    int error = errno;
    (void)rv_signals_run();
    errno = error;
}

static siginfo_t make_info(int number, int code, const union sigval *value) {
    siginfo_t info = {.si_signo = number, .si_code = code};
    info.si_pid = rv_sys_getpid();
    info.si_uid = (uid_t)rv_sys0(SYS_getuid);
    if (value) info.si_value = *value;
    return info;
}

/* SIGKILL and SIGSTOP are not for handlers, masks or sigwait. */
static void act_at_once(int number) {
    if (number == SIGKILL) rv_signal_die(number);
    if (number == SIGSTOP) rv_note("the program stops itself (SIGSTOP); stop signals are not carried out");
}

static bool uncatchable(int number) { return number == SIGKILL || number == SIGSTOP; }

/* ---- to threads ---- */

static int send_to_fiber(struct rv_fiber *fiber, int number, const siginfo_t *info, uintptr_t site) {
    struct rv_pending pending;
    point(site, &pending);
    if (number != 0 && uncatchable(number)) act_at_once(number);
    /* A thread that has ended but was not joined: nothing happens, as in glibc. */
    if (number != 0 && fiber->state == RV_FIBER_ALIVE && !uncatchable(number))
        rv_signal_send(fiber, number, info);
    rv_done(&pending, (uint64_t)number, 0);
    deliver_own();
    return 0;
}

static int send_to_thread(pthread_t thread, int number, int code, const union sigval *value, uintptr_t site) {
    if (number != 0 && (!rv_signal_valid(number) || number == 32 || number == 33)) return EINVAL;
    struct rv_fiber *fiber = rv_fiber_of(thread);
    if (!fiber) return ESRCH;
    siginfo_t info = make_info(number, code, value);
    return send_to_fiber(fiber, number, &info, site);
}

RV_EXPORT int pthread_kill(pthread_t thread, int number) {
    if (rv_passive() || !rv.current) return RV_REAL(pthread_kill)(thread, number);
    return send_to_thread(thread, number, SI_TKILL, NULL, RV_SITE());
}

RV_EXPORT int pthread_sigqueue(pthread_t thread, int number, const union sigval value) {
    if (rv_passive() || !rv.current) return RV_REAL(pthread_sigqueue)(thread, number, value);
    return send_to_thread(thread, number, SI_QUEUE, &value, RV_SITE());
}

RV_EXPORT int raise(int number) {
    if (rv_passive() || !rv.current) return RV_REAL(raise)(number);
    int error = send_to_thread(rv.current->self, number, SI_TKILL, NULL, RV_SITE());
    return error ? fail_with(error) : 0;
}

RV_EXPORT int gsignal(int number) {
    if (rv_passive() || !rv.current) return RV_REAL(gsignal)(number);
    int error = send_to_thread(rv.current->self, number, SI_TKILL, NULL, RV_SITE());
    return error ? fail_with(error) : 0;
}

/* tgkill and, through syscall(), tkill. */
RV_EXPORT int tgkill(pid_t process, pid_t thread, int number) {
    if (rv_passive() || !rv.current) return RV_REAL(tgkill)(process, thread, number);
    if (process != rv_sys_getpid()) return (int)rv_result(rv_sys_tgkill(process, thread, number));
    if (number != 0 && !rv_signal_valid(number)) return fail_with(EINVAL);
    for (uint32_t i = 0; i < rv.fiber_count; i++) {
        struct rv_fiber *fiber = rv.fibers[i];
        if (rv_thread_id(fiber) != thread || fiber->state != RV_FIBER_ALIVE) continue;
        siginfo_t info = make_info(number, SI_TKILL, NULL);
        return send_to_fiber(fiber, number, &info, RV_SITE());
    }
    return fail_with(ESRCH);
}

/* ---- to processes ---- */

static bool is_us(pid_t process) {
    return process == rv_sys_getpid() || process == 0 || process == -1 ||
           process == -(pid_t)rv_sys1(SYS_getpgid, 0);
}

static bool is_ravel(pid_t process) {
    if (rv.mode == RV_DETACHED) return false; /* a child's parent is the program */
    pid_t parent = (pid_t)rv_sys0(SYS_getppid);
    return process == parent || process == -parent;
}

static int send_to_process(pid_t process, int number, const siginfo_t *info, uintptr_t site) {
    if (number != 0 && !rv_signal_valid(number)) return fail_with(EINVAL);
    struct rv_pending pending;
    point(site, &pending);
    long result = 0;
    if (is_us(process)) {
        if (number != 0 && uncatchable(number))
            act_at_once(number);
        else if (number != 0)
            rv_signal_send(NULL, number, info);
    } else if (is_ravel(process)) {
        if (number)
            rv_note("the program sends signal %d to its parent, which is ravel: not carried out", number);
    } else if (info->si_code == SI_QUEUE) {
        result = rv_sys3(SYS_rt_sigqueueinfo, process, number, (long)info);
    } else {
        result = rv_sys_kill(process, number);
    }
    rv_done(&pending, (uint64_t)number, rv_sys_failed(result) ? RV_EVENT_FAILED : 0);
    deliver_own();
    return (int)rv_result(result);
}

RV_EXPORT int kill(pid_t process, int number) {
    if (rv_passive() || !rv.current) return RV_REAL(kill)(process, number);
    siginfo_t info = make_info(number, SI_USER, NULL);
    return send_to_process(process, number, &info, RV_SITE());
}

RV_EXPORT int killpg(pid_t group, int number) {
    if (rv_passive() || !rv.current) return RV_REAL(killpg)(group, number);
    if (group < 0) return fail_with(EINVAL);
    siginfo_t info = make_info(number, SI_USER, NULL);
    return send_to_process(-group, number, &info, RV_SITE());
}

RV_EXPORT int sigqueue(pid_t process, int number, const union sigval value) {
    if (rv_passive() || !rv.current) return RV_REAL(sigqueue)(process, number, value);
    siginfo_t info = make_info(number, SI_QUEUE, &value);
    return send_to_process(process, number, &info, RV_SITE());
}
