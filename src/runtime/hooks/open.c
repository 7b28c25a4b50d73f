/* How descriptors come, go and change: open, close, dup, fcntl, pipe, eventfd, memory files, offsets, sizes. */
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/hooks/io.h"

/* ---- open ---- */

static int open_at(int directory, const char *path, int flags, unsigned mode, uintptr_t site) {
    rv_io_buffer(path, strlen(path) + 1, false, site);
    struct rv_pending pending = RV_PENDING(RV_OP_FD_OPEN, NULL, site);
    pending.cancellable = true;
    (void)rv_schedule(&pending);
    long fd = rv_file_open(directory, path, flags, mode, site);
    rv_done(&pending, (uint64_t)fd, rv_sys_failed(fd) ? RV_EVENT_FAILED : 0);
    if (rv_sys_failed(fd)) return (int)rv_result(fd);
    rv_fd_opened((int)fd, RV_FD_UNKNOWN, false, -1);
    return (int)fd;
}

/* The mode is only there if the flags say so. */
static unsigned mode_of(int flags, va_list arguments) {
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, unsigned) : 0;
}

RV_EXPORT int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = mode_of(flags, arguments);
    va_end(arguments);
    if (rv_passive()) return RV_REAL(open)(path, flags, mode);
    return open_at(AT_FDCWD, path, flags, mode, RV_SITE());
}
RV_ALSO(open, open64);

RV_EXPORT int openat(int directory, const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = mode_of(flags, arguments);
    va_end(arguments);
    if (rv_passive()) return RV_REAL(openat)(directory, path, flags, mode);
    return open_at(directory, path, flags, mode, RV_SITE());
}
RV_ALSO(openat, openat64);

RV_EXPORT int creat(const char *path, mode_t mode) {
    if (rv_passive()) return RV_REAL(creat)(path, mode);
    return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode, RV_SITE());
}
RV_ALSO(creat, creat64);

/* What fortified programs call when there is no mode. */
int __open_2(const char *path, int flags);
RV_EXPORT int __open_2(const char *path, int flags) {
    if (rv_passive() || (flags & O_CREAT)) return RV_REAL(__open_2)(path, flags);
    return open_at(AT_FDCWD, path, flags, 0, RV_SITE());
}
int __open64_2(const char *path, int flags);
RV_ALSO(__open_2, __open64_2);

int __openat_2(int directory, const char *path, int flags);
RV_EXPORT int __openat_2(int directory, const char *path, int flags) {
    if (rv_passive() || (flags & O_CREAT)) return RV_REAL(__openat_2)(directory, path, flags);
    return open_at(directory, path, flags, 0, RV_SITE());
}
int __openat64_2(int directory, const char *path, int flags);
RV_ALSO(__openat_2, __openat64_2);

RV_EXPORT int memfd_create(const char *name, unsigned flags) {
    if (rv_passive()) return RV_REAL(memfd_create)(name, flags);
    long fd = rv_sys2(SYS_memfd_create, (long)name, flags);
    if (!rv_sys_failed(fd)) rv_fd_opened((int)fd, RV_FD_FILE, true, -1);
    return (int)rv_result(fd);
}

/* ---- close ---- */

int rv_io_close(int fd, uintptr_t site) {
    if (rv_fd_hidden(fd)) return (int)rv_fail_with(EBADF);
    /* Programs close thousands of numbers just in case; only those that exist are worth a scheduling point. */
    const struct rv_descriptor *descriptor = rv_descriptor(fd);
    bool known = descriptor && descriptor->known;
    if (!known && rv_sys_failed(rv_sys_fcntl(fd, F_GETFD, 0))) return (int)rv_fail_with(EBADF);
    struct rv_io io;
    (void)rv_io_begin(&io, RV_OP_FD_CLOSE, fd, 0, site);
    if (!rv_fd_closing(fd)) return (int)rv_io_end(&io, -EBADF);
    long result = rv_sys_close(fd);
    rv_io_changed();
    return (int)rv_io_end(&io, result);
}

RV_EXPORT int close(int fd) {
    if (rv_passive()) return RV_REAL(close)(fd);
    return rv_io_close(fd, RV_SITE());
}

static long close_known(unsigned first, unsigned last, int flags, uintptr_t site) {
    struct rv_io io;
    (void)rv_io_begin(&io, RV_OP_FD_CLOSE, first < INT_MAX ? (int)first : INT_MAX, 0, site);
    if (flags & ~(CLOSE_RANGE_CLOEXEC | CLOSE_RANGE_UNSHARE) || first > last) return rv_io_end(&io, -EINVAL);
    bool only_mark = flags & (int)CLOSE_RANGE_CLOEXEC;
    for (unsigned fd = first; fd <= last && fd < (unsigned)rv_fds_bound(); fd++) {
        const struct rv_descriptor *descriptor = rv_descriptor((int)fd);
        if (!descriptor->known) continue;
        if (!only_mark)
            (void)rv_fd_closing((int)fd);
        else if (descriptor->object)
            rv_saved_flags(descriptor->object);
    }
    long result = rv_fds_close_between(first, last, only_mark ? (int)CLOSE_RANGE_CLOEXEC : 0);
    rv_io_changed();
    return rv_io_end(&io, result);
}

RV_EXPORT int close_range(unsigned first, unsigned last, int flags) {
    if (rv_passive()) return RV_REAL(close_range)(first, last, flags);
    return (int)close_known(first, last, flags, RV_SITE());
}

RV_EXPORT void closefrom(int first) {
    if (rv_passive()) {
        RV_REAL(closefrom)(first);
        return;
    }
    int error = errno;
    (void)close_known(first < 0 ? 0 : (unsigned)first, ~0u, 0, RV_SITE());
    errno = error;
}

/* ---- dup ---- */

static int duplicate(long copy, int from) {
    if (!rv_sys_failed(copy)) rv_fd_duplicated(from, (int)copy);
    return (int)rv_result(copy);
}

RV_EXPORT int dup(int fd) {
    if (rv_passive()) return RV_REAL(dup)(fd);
    if (rv_fd_hidden(fd)) return (int)rv_fail_with(EBADF);
    return duplicate(rv_sys1(SYS_dup, fd), fd);
}

static int dup_over(int from, int to, int flags, uintptr_t site) {
    if (rv_fd_hidden(from) || rv_fd_hidden(to)) return (int)rv_fail_with(EBADF);
    struct rv_io io;
    (void)rv_io_begin(&io, RV_OP_FD_CLOSE, to, 0, site);
    bool valid = !rv_sys_failed(rv_sys_fcntl(from, F_GETFD, 0)) && !(flags & ~O_CLOEXEC) && from != to;
    if (valid && !rv_fd_closing(to)) return (int)rv_io_end(&io, -EBADF);
    long copy = rv_sys_dup3(from, to, flags);
    if (!rv_sys_failed(copy)) rv_fd_duplicated(from, to);
    rv_io_changed();
    return (int)rv_io_end(&io, copy);
}

RV_EXPORT int dup2(int from, int to) {
    if (rv_passive()) return RV_REAL(dup2)(from, to);
    if (from == to) return rv_result(rv_sys_fcntl(from, F_GETFD, 0)) < 0 ? -1 : to;
    return dup_over(from, to, 0, RV_SITE());
}

RV_EXPORT int dup3(int from, int to, int flags) {
    if (rv_passive()) return RV_REAL(dup3)(from, to, flags);
    return dup_over(from, to, flags, RV_SITE());
}

/* ---- fcntl, ioctl ---- */

/* Locks that a thread of this process may hold through another open file: asked without waiting. */
static long lock_wait(int fd, long number, long command, long argument, uintptr_t site) {
    for (;;) {
        struct rv_io io;
        (void)rv_io_begin(&io, RV_OP_FD_WRITE, fd, 0, site);
        long result = rv_sys3(number, fd, command, argument);
        if (result != -EAGAIN) {
            rv_io_changed();
            return rv_io_end(&io, result);
        }
        (void)rv_io_end(&io, 0);
        int error = rv_io_await_change(&io, RV_OP_FD_WRITE, fd, site);
        if (error) return rv_io_end(&io, -error);
    }
}

static void note_status_change(int fd) {
    const struct rv_descriptor *descriptor = rv_descriptor(fd);
    if (descriptor && descriptor->object) rv_saved_flags(descriptor->object);
    rv_fds_reflagged();
    rv_io_changed();
}

static int control(int fd, int command, long argument, uintptr_t site) {
    if (rv_fd_hidden(fd)) return (int)rv_fail_with(EBADF);
    switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC: return duplicate(rv_sys_fcntl(fd, command, argument), fd);
    case F_SETFL:
    case F_SETFD:
    case F_SETPIPE_SZ: note_status_change(fd); break;
    case F_OFD_SETLKW: return (int)lock_wait(fd, SYS_fcntl, F_OFD_SETLK, argument, site);
    case F_SETLK:
    case F_OFD_SETLK: rv_io_changed(); break;
    case F_GETFL: fd = rv_output_original(fd); break;
    default: break;
    }
    return (int)rv_result(rv_sys_fcntl(fd, command, argument));
}

RV_EXPORT int fcntl(int fd, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (rv_passive()) return RV_REAL(fcntl)(fd, command, argument);
    return control(fd, command, (long)argument, RV_SITE());
}
RV_ALSO(fcntl, fcntl64);

RV_EXPORT int ioctl(int fd, unsigned long request, ...) {
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (rv_passive()) return RV_REAL(ioctl)(fd, request, argument);
    if (rv_fd_hidden(fd)) return (int)rv_fail_with(EBADF);
    if (request == FIONBIO)
        note_status_change(fd);
    else
        rv_fd_moved(fd);
    return (int)rv_result(rv_sys_ioctl(rv_output_original(fd), request, argument));
}

RV_EXPORT int flock(int fd, int operation) {
    if (rv_passive()) return RV_REAL(flock)(fd, operation);
    if (operation & (LOCK_NB | LOCK_UN)) {
        rv_io_changed();
        return (int)rv_result(rv_sys2(SYS_flock, fd, operation));
    }
    return (int)lock_wait(fd, SYS_flock, operation | LOCK_NB, 0, RV_SITE());
}

/* ---- offset and size ---- */

RV_EXPORT off_t lseek(int fd, off_t offset, int whence) {
    if (rv_passive()) return RV_REAL(lseek)(fd, offset, whence);
    struct rv_io io;
    (void)rv_io_begin(&io, RV_OP_FD_READ, fd, 0, RV_SITE());
    rv_fd_moved(fd);
    return rv_io_end(&io, rv_sys_lseek(rv_output_original(fd), offset, whence));
}
RV_ALSO(lseek, lseek64);

/* A call that changes a file behind a descriptor. */
static long change_file(int fd, long number, long a, long b, long c, uintptr_t site) {
    struct rv_io io;
    (void)rv_io_begin(&io, RV_OP_FD_WRITE, fd, 0, site);
    rv_fd_touch(fd);
    return rv_io_end(&io, rv_sys4(number, fd, a, b, c));
}

RV_EXPORT int ftruncate(int fd, off_t size) {
    if (rv_passive()) return RV_REAL(ftruncate)(fd, size);
    rv_file_shrinking(fd, size, RV_SITE());
    return (int)change_file(fd, SYS_ftruncate, size, 0, 0, RV_SITE());
}
RV_ALSO(ftruncate, ftruncate64);

RV_EXPORT int fallocate(int fd, int mode, off_t offset, off_t size) {
    if (rv_passive()) return RV_REAL(fallocate)(fd, mode, offset, size);
    return (int)change_file(fd, SYS_fallocate, mode, offset, size, RV_SITE());
}
RV_ALSO(fallocate, fallocate64);

RV_EXPORT int posix_fallocate(int fd, off_t offset, off_t size) {
    if (rv_passive()) return RV_REAL(posix_fallocate)(fd, offset, size);
    int error = errno;
    long result = change_file(fd, SYS_fallocate, 0, offset, size, RV_SITE());
    int failure = result < 0 ? errno : 0;
    errno = error;
    if (failure != EOPNOTSUPP) return failure;
    return RV_REAL(posix_fallocate)(fd, offset, size);
}
RV_ALSO(posix_fallocate, posix_fallocate64);

/* ---- pipes and counters ---- */

static int make_pipe(int ends[2], int flags, uintptr_t site) {
    rv_access(ends, 2 * sizeof *ends, true, site);
    long result = rv_sys2(SYS_pipe2, (long)ends, flags);
    if (rv_sys_failed(result)) return (int)rv_result(result);
    rv_fd_opened(ends[0], RV_FD_PIPE, true, ends[1]);
    rv_fd_opened(ends[1], RV_FD_PIPE, true, ends[0]);
    return 0;
}

RV_EXPORT int pipe(int ends[2]) {
    if (rv_passive()) return RV_REAL(pipe)(ends);
    return make_pipe(ends, 0, RV_SITE());
}

RV_EXPORT int pipe2(int ends[2], int flags) {
    if (rv_passive()) return RV_REAL(pipe2)(ends, flags);
    return make_pipe(ends, flags, RV_SITE());
}

RV_EXPORT int eventfd(unsigned count, int flags) {
    if (rv_passive()) return RV_REAL(eventfd)(count, flags);
    long fd = rv_sys2(SYS_eventfd2, (long)count, flags);
    if (!rv_sys_failed(fd)) rv_fd_opened((int)fd, RV_FD_EVENT, true, -1);
    return (int)rv_result(fd);
}

RV_EXPORT int eventfd_read(int fd, eventfd_t *value) {
    if (rv_passive()) return RV_REAL(eventfd_read)(fd, value);
    return rv_io_read(fd, value, sizeof *value, RV_SITE()) == sizeof *value ? 0 : -1;
}

RV_EXPORT int eventfd_write(int fd, eventfd_t value) {
    if (rv_passive()) return RV_REAL(eventfd_write)(fd, value);
    return rv_io_write(fd, &value, sizeof value, RV_SITE()) == sizeof value ? 0 : -1;
}
