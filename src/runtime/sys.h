/* System calls without libc: the runtime intercepts libc's wrappers, and a wrapper sets the program's errno.
 * Each returns what the kernel returns: a value, or -errno (rv_sys_failed tells). Nothing here is a
 * cancellation point, nothing restarts after a signal: callers that care look for -EINTR.
 */
#ifndef RV_RUNTIME_SYS_H
#define RV_RUNTIME_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

#ifndef __x86_64__
#error "ravel's runtime supports x86-64 only"
#endif

/* An assertion for code that must not call libc's: stops at the spot, with no message. */
#define RV_INVARIANT(condition) ((condition) ? (void)0 : __builtin_trap())

static inline long rv_sys6(long number, long a, long b, long c, long d, long e, long f) {
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static inline long rv_sys3(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}

static inline long rv_sys0(long number) { return rv_sys3(number, 0, 0, 0); }
static inline long rv_sys1(long number, long a) { return rv_sys3(number, a, 0, 0); }
static inline long rv_sys2(long number, long a, long b) { return rv_sys3(number, a, b, 0); }
static inline long rv_sys4(long number, long a, long b, long c, long d) {
    return rv_sys6(number, a, b, c, d, 0, 0);
}

/* True for -4095..-1, the errors; addresses and counts never fall there. */
static inline bool rv_sys_failed(long result) { return (unsigned long)result > -4096ul; }

/* Memory. The address, or -errno as an integer: check with rv_sys_failed((long)pointer). */
static inline void *rv_sys_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
    return (void *)rv_sys6(SYS_mmap, (long)address, (long)size, protection, flags, fd, offset);
}
static inline long rv_sys_munmap(void *address, size_t size) {
    return rv_sys2(SYS_munmap, (long)address, (long)size);
}
static inline long rv_sys_mprotect(void *address, size_t size, int protection) {
    return rv_sys3(SYS_mprotect, (long)address, (long)size, protection);
}
static inline long rv_sys_madvise(void *address, size_t size, int advice) {
    return rv_sys3(SYS_madvise, (long)address, (long)size, advice);
}

/* Descriptors. */
static inline long rv_sys_open(const char *path, int flags, unsigned mode) {
    return rv_sys4(SYS_openat, -100 /* AT_FDCWD */, (long)path, flags, (long)mode);
}
static inline long rv_sys_read(int fd, void *to, size_t size) {
    return rv_sys3(SYS_read, fd, (long)to, (long)size);
}
static inline long rv_sys_write(int fd, const void *from, size_t size) {
    return rv_sys3(SYS_write, fd, (long)from, (long)size);
}
static inline long rv_sys_pread(int fd, void *to, size_t size, off_t offset) {
    return rv_sys4(SYS_pread64, fd, (long)to, (long)size, offset);
}
static inline long rv_sys_pwrite(int fd, const void *from, size_t size, off_t offset) {
    return rv_sys4(SYS_pwrite64, fd, (long)from, (long)size, offset);
}
static inline long rv_sys_lseek(int fd, off_t offset, int whence) {
    return rv_sys3(SYS_lseek, fd, offset, whence);
}
static inline long rv_sys_close(int fd) { return rv_sys1(SYS_close, fd); }
static inline long rv_sys_ioctl(int fd, unsigned long request, void *argument) {
    return rv_sys3(SYS_ioctl, fd, (long)request, (long)argument);
}
static inline long rv_sys_fcntl(int fd, int command, long argument) {
    return rv_sys3(SYS_fcntl, fd, command, argument);
}
static inline long rv_sys_dup3(int from, int to, int flags) { return rv_sys3(SYS_dup3, from, to, flags); }

/* Processes, threads, time. */
static inline pid_t rv_sys_getpid(void) { return (pid_t)rv_sys0(SYS_getpid); }
static inline pid_t rv_sys_gettid(void) { return (pid_t)rv_sys0(SYS_gettid); }
static inline long rv_sys_kill(pid_t pid, int signal) { return rv_sys2(SYS_kill, pid, signal); }
static inline long rv_sys_tgkill(pid_t group, pid_t thread, int signal) {
    return rv_sys3(SYS_tgkill, group, thread, signal);
}
/* timeout: struct timespec *, relative for FUTEX_WAIT; NULL: none. */
static inline long rv_sys_futex(void *word, int operation, uint32_t value, const void *timeout) {
    return rv_sys4(SYS_futex, (long)word, operation, (long)value, (long)timeout);
}
static inline long rv_sys_wait4(pid_t pid, int *status, int options, void *usage) {
    return rv_sys4(SYS_wait4, pid, (long)status, options, (long)usage);
}
static inline long rv_sys_sched_yield(void) { return rv_sys0(SYS_sched_yield); }
/* The clock's value in ns; one real system call, not the vDSO. */
static inline int64_t rv_sys_clock_ns(int clock) {
    int64_t time[2] = {0, 0}; /* struct timespec */
    (void)rv_sys2(SYS_clock_gettime, clock, (long)time);
    return time[0] * 1000000000 + time[1];
}
static inline _Noreturn void rv_sys_exit_group(int status) {
    for (;;) (void)rv_sys1(SYS_exit_group, status);
}

#endif
