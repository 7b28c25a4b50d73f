/* syscall(): system calls by number. Those that a hook knows under another name go there; those that make a
 * thread behind our back are refused with a clear word; the rest is the kernel's.
 *
 * System calls by an inlined instruction cannot be seen by any hook (futex.c names the library that does it).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/hooks/child.h"
#include "runtime/hooks/outside.h"
#include "runtime/native.h"

/* A name of the C library's whose hook takes the same arguments. */
#define P(n) ((void *)a[n])
#define I(n) ((int)a[n])
#define U(n) ((size_t)a[n])

static bool files(long number, const long *a, long *result) {
    switch (number) {
    case SYS_read: *result = read(I(0), P(1), U(2)); return true;
    case SYS_write: *result = write(I(0), P(1), U(2)); return true;
    case SYS_readv: *result = readv(I(0), P(1), I(2)); return true;
    case SYS_writev: *result = writev(I(0), P(1), I(2)); return true;
    case SYS_open: *result = open(P(0), I(1), I(2)); return true;
    case SYS_openat: *result = openat(I(0), P(1), I(2), I(3)); return true;
    case SYS_close: *result = close(I(0)); return true;
    case SYS_lseek: *result = lseek(I(0), a[1], I(2)); return true;
    case SYS_dup: *result = dup(I(0)); return true;
    case SYS_dup2: *result = dup2(I(0), I(1)); return true;
    case SYS_dup3: *result = dup3(I(0), I(1), I(2)); return true;
    case SYS_pipe: *result = pipe(P(0)); return true;
    case SYS_pipe2: *result = pipe2(P(0), I(1)); return true;
    case SYS_eventfd2: *result = eventfd((unsigned)a[0], I(1)); return true;
    case SYS_socket: *result = socket(I(0), I(1), I(2)); return true;
    case SYS_socketpair: *result = socketpair(I(0), I(1), I(2), P(3)); return true;
    case SYS_accept: *result = accept(I(0), (struct sockaddr *)P(1), P(2)); return true;
    case SYS_poll: *result = poll(P(0), (nfds_t)a[1], I(2)); return true;
    case SYS_epoll_wait: *result = epoll_wait(I(0), P(1), I(2), I(3)); return true;
    default: return false;
    }
}

static bool time_and_signals(long number, const long *a, long *result) {
    switch (number) {
    case SYS_clock_gettime: *result = clock_gettime(I(0), P(1)); return true;
    case SYS_clock_getres: *result = clock_getres(I(0), P(1)); return true;
    case SYS_gettimeofday: *result = gettimeofday(P(0), P(1)); return true;
    case SYS_time: *result = time(P(0)); return true;
    case SYS_nanosleep: *result = nanosleep(P(0), P(1)); return true;
    case SYS_clock_nanosleep: {
        int error = clock_nanosleep(I(0), I(1), P(2), P(3)); /* the function returns the error */
        if (error) errno = error;
        *result = error ? -1 : 0;
        return true;
    }
    case SYS_alarm: *result = (long)alarm((unsigned)a[0]); return true;
    case SYS_setitimer: *result = setitimer((__itimer_which_t)a[0], P(1), P(2)); return true;
    case SYS_getitimer: *result = getitimer((__itimer_which_t)a[0], P(1)); return true;
    case SYS_pause: *result = pause(); return true;
    case SYS_kill: *result = kill(I(0), I(1)); return true;
    case SYS_tgkill: *result = tgkill(I(0), I(1), I(2)); return true;
    case SYS_tkill: *result = tgkill(rv_sys_getpid(), I(0), I(1)); return true;
    default: return false;
    }
}

static bool processes(long number, const long *a, long *result, uintptr_t site) {
    switch (number) {
    case SYS_gettid: *result = gettid(); return true;
    case SYS_sched_yield: *result = sched_yield(); return true;
    case SYS_getrandom: *result = getrandom(P(0), U(1), (unsigned)a[2]); return true;
    case SYS_fork:
    case SYS_vfork: *result = rv_fork(site); return true;
    case SYS_wait4: *result = rv_wait_for(I(0), P(1), I(2), P(3), site); return true;
    case SYS_execve: *result = execve(P(0), P(1), P(2)); return true;
    case SYS_exit_group: rv_exit_now(I(0), site);
    case SYS_exit: rv_thread_exit(NULL); /* of this thread only */
    case SYS_mmap: *result = (long)mmap(P(0), U(1), I(2), I(3), I(4), a[5]); return true;
    case SYS_munmap: *result = munmap(P(0), U(1)); return true;
    case SYS_mprotect: *result = mprotect(P(0), U(1), I(2)); return true;
    case SYS_madvise: *result = madvise(P(0), U(1), I(2)); return true;
    case SYS_futex:
        *result = rv_result(rv_futex(P(0), I(1), (uint32_t)a[2], P(3), P(4), (uint32_t)a[5], site));
        return true;
    default: return false;
    }
}

/* Calls that would make or need what cannot be controlled. */
static bool refused(long number, const long *a, long *result, uintptr_t site) {
    if (rv.mode == RV_DETACHED) return false;
    switch (number) {
    case SYS_clone:
        if (a[0] & CLONE_VM) break;
        *result = rv_fork(site); /* a copy with a signal at its end: fork */
        return true;
    case SYS_clone3: {
        const uint64_t *arguments = P(0);
        if (arguments && !(*arguments & CLONE_VM)) {
            *result = rv_fork(site);
            return true;
        }
        break;
    }
    case SYS_io_uring_setup:
        rv_note(
            "the program uses io_uring: what it waits for there is not seen by ravel; refused with ENOSYS");
        *result = rv_result(-ENOSYS);
        return true;
#ifdef SYS_futex_waitv
    case SYS_futex_waitv:
        rv_note("the program waits for several futexes at once (futex_waitv): refused with ENOSYS");
        *result = rv_result(-ENOSYS);
        return true;
#endif
    default: return false;
    }
    rv_unusable(
        "the program makes threads by the clone system call: ravel controls POSIX and C11 threads only");
}

RV_EXPORT long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a[6];
    for (int i = 0; i < 6; i++) a[i] = va_arg(list, long); /* what was not passed is not used */
    va_end(list);
    if (rv_passive() || !rv.current) {
        bool waits = number == SYS_futex && ((int)a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT;
        return rv_result(waits ? RV_BLOCKING(rv_sys6(number, a[0], a[1], a[2], a[3], a[4], a[5]))
                               : rv_sys6(number, a[0], a[1], a[2], a[3], a[4], a[5]));
    }
    uintptr_t site = RV_SITE();
    long result = 0;
    if (files(number, a, &result) || time_and_signals(number, a, &result) ||
        processes(number, a, &result, site) || refused(number, a, &result, site))
        return result;
    return rv_result(rv_sys6(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}
