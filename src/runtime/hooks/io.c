/* read, write and their kin; and the snapshot of everything that faces the system.
 *
 * A call announces itself, waits until the kernel would not make it wait, and is then made: it never blocks the
 * carrier. For reads "ready" is enough. A write is ready as soon as it can take something, yet a blocking write takes
 * everything before it returns; so a write to a pipe goes in pieces of PIPE_BUF bytes, each of which the
 * kernel takes at once when the pipe is ready. That is also what POSIX promises: up to PIPE_BUF bytes stay
 * together, more may be mixed with what others write.
 */
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "runtime/heap.h"
#include "runtime/hooks/io.h"
#include "runtime/watch.h"
#include "runtime/native.h"

enum { SLICE_PARTS = 16 };

/* ---- what the hooks share ---- */

bool rv_io_may_block(int fd) {
    switch (rv_fd_kind_of(fd)) {
    case RV_FD_PIPE:
    case RV_FD_SOCKET:
    case RV_FD_EVENT:
    case RV_FD_SIGNAL:
    case RV_FD_TIMER:
    case RV_FD_OTHER: return !rv_fd_nonblocking(fd);
    default: return false;
    }
}

int rv_io_begin_blocking(struct rv_io *io, enum rv_op op, int fd, short events, uintptr_t site) {
    for (;;) {
        bool waits = rv_io_may_block(fd);
        int error = rv_io_begin(io, op, fd, waits ? events : 0, site);
        /* Another thread may have put something else there. */
        if (error || waits || io->target != fd || !rv_io_may_block(fd)) return error;
    }
}

size_t rv_io_buffer(const void *buffer, size_t size, bool write, uintptr_t site) {
    if (size == 0) return 0;
    uintptr_t at = (uintptr_t)buffer;
    if (write && rv_heap_contains(at) && !rv_heap_accessible(at, size)) {
        /* More room claimed than there is: an error only if so much comes. */
        struct rv_heap_block block;
        if (rv_heap_find(at, &block) && !block.freed && at >= block.address &&
            at < block.address + block.size) {
            size = block.address + block.size - at;
        }
    }
    rv_access(buffer, size, write, site);
    return size;
}

void rv_io_arrived(const void *buffer, size_t reported, long arrived, uintptr_t site) {
    if (arrived <= 0) return;
    uintptr_t at = (uintptr_t)buffer;
    bool freed = rv_heap_contains(at) && !rv_heap_accessible(at, (size_t)arrived); /* while the call waited */
    if (freed || (size_t)arrived > reported) rv_access(buffer, (size_t)arrived, true, site);
}

size_t rv_io_room(const struct iovec *parts, int count, uintptr_t site) {
    struct rv_fiber *self = rv_self();
    size_t reported = 0;
    self->unwatched = true;
    self->asked_at = 0;
    for (int i = 0; i < count; i++) {
        reported = rv_io_buffer(parts[i].iov_base, parts[i].iov_len, true, site);
        if (!self->asked_at) self->asked_at = self->step;
    }
    self->unwatched = false;
    return reported;
}

long rv_io_filled(const struct iovec *parts, int count, long result, uintptr_t site) {
    if (!rv_watching.on || rv.mode != RV_CONTROLLED) return result;
    struct rv_fiber *self = rv_self();
    long left = result;
    self->recorded_at = self->asked_at; /* there a thread stands that is about to write to the buffer */
    for (int i = 0; i < count && left > 0; i++) {
        size_t size = parts[i].iov_len < (size_t)left ? parts[i].iov_len : (size_t)left;
        if (size) rv_watch_plain(self, (uintptr_t)parts[i].iov_base, size, true, rv_site_of(site), site);
        left -= (long)size;
    }
    self->recorded_at = 0;
    return result;
}

size_t rv_io_total(const struct iovec *parts, int count) {
    size_t total = 0;
    for (int i = 0; i < count; i++) total += parts[i].iov_len;
    return total;
}

int rv_io_slice(const struct iovec *parts, int count, size_t skip, size_t limit, struct iovec *slice,
                int room) {
    int filled = 0;
    for (int i = 0; i < count && filled < room && limit; i++) {
        if (skip >= parts[i].iov_len) {
            skip -= parts[i].iov_len;
            continue;
        }
        size_t size = parts[i].iov_len - skip;
        if (size > limit) size = limit;
        slice[filled++] = (struct iovec){.iov_base = (char *)parts[i].iov_base + skip, .iov_len = size};
        limit -= size;
        skip = 0;
    }
    return filled;
}

long rv_io_end_write(struct rv_io *io, long result) {
    long answer = rv_io_end(io, result);
    if (result == -EPIPE) {
        rv_signal_pipe();
        errno = EPIPE;
    }
    return answer;
}

static bool carries_data(enum rv_fd_kind kind) { return kind != RV_FD_FILE && kind != RV_FD_RANDOM; }

/* ---- reading ---- */

static long read_parts(int fd, const struct iovec *parts, int count) {
    if (count == 1) return rv_sys_read(fd, parts->iov_base, parts->iov_len);
    return rv_sys3(SYS_readv, fd, (long)parts, count);
}

static long fill_random(const struct iovec *parts, int count) {
    long total = 0;
    for (int i = 0; i < count; i++) {
        rv_random_fill(parts[i].iov_base, parts[i].iov_len);
        total += (long)parts[i].iov_len;
    }
    return total;
}

static long transfer_in(int fd, const struct iovec *parts, int count, uintptr_t site) {
    struct rv_io io;
    size_t reported = rv_io_room(parts, count, site);
    if (rv_fd_kind_of(fd) == RV_FD_SIGNAL) return rv_signalfd_read(fd, parts->iov_base, parts->iov_len, site);
    /* What the kernel answers at once, whatever there is to read. */
    size_t room = rv_io_total(parts, count);
    enum rv_fd_kind before = rv_fd_kind_of(fd);
    bool at_once = room == 0 || ((before == RV_FD_EVENT || before == RV_FD_TIMER) && room < sizeof(uint64_t));
    int error = at_once ? rv_io_begin(&io, RV_OP_FD_READ, fd, 0, site)
                        : rv_io_begin_blocking(&io, RV_OP_FD_READ, fd, POLLIN, site);
    if (error) return rv_io_end(&io, -error);
    rv_fd_moved(fd);
    enum rv_fd_kind kind = rv_fd_kind_of(fd);
    long result = kind == RV_FD_RANDOM ? fill_random(parts, count) : read_parts(io.target, parts, count);
    if (result > 0 && carries_data(kind)) rv_io_changed();
    if (count == 1) rv_io_arrived(parts->iov_base, reported, result, site);
    return rv_io_filled(parts, count, rv_io_end(&io, result), site);
}

long rv_io_read(int fd, void *to, size_t size, uintptr_t site) {
    return transfer_in(fd, &(struct iovec){.iov_base = to, .iov_len = size}, 1, site);
}

RV_EXPORT ssize_t read(int fd, void *to, size_t size) {
    if (rv_passive())
        return rv_native_readable(fd) ? RV_REAL(read)(fd, to, size)
                                      : RV_BLOCKING(RV_REAL(read)(fd, to, size));
    return rv_io_read(fd, to, size, RV_SITE());
}

ssize_t __read_chk(int fd, void *to, size_t size, size_t room);
RV_EXPORT ssize_t __read_chk(int fd, void *to, size_t size, size_t room) {
    if (rv_passive() || size > room) return RV_REAL(__read_chk)(fd, to, size, room);
    return rv_io_read(fd, to, size, RV_SITE());
}

static bool valid_parts(const struct iovec *parts, int count) {
    return count > 0 && count <= IOV_MAX && parts != NULL;
}

RV_EXPORT ssize_t readv(int fd, const struct iovec *parts, int count) {
    if (rv_passive()) return RV_REAL(readv)(fd, parts, count);
    if (!valid_parts(parts, count)) return rv_result(rv_sys3(SYS_readv, fd, (long)parts, count));
    return transfer_in(fd, parts, count, RV_SITE());
}

/* ---- writing ---- */

static long write_parts(int fd, const struct iovec *parts, int count) {
    if (count == 1) return rv_sys_write(fd, parts->iov_base, parts->iov_len);
    return rv_sys3(SYS_writev, fd, (long)parts, count);
}

/* A blocking write of more than the kernel takes at once: piece by piece, until all is gone or an error comes,
 * which only counts if nothing was written before it. */
static long write_pipe(int fd, const struct iovec *parts, int count, uintptr_t site) {
    size_t total = rv_io_total(parts, count), done = 0;
    for (;;) {
        struct rv_io io;
        int error = rv_io_begin_blocking(&io, RV_OP_FD_WRITE, fd, POLLOUT, site);
        if (error) return rv_io_end(&io, done ? (long)done : -error);
        rv_fd_moved(fd);
        struct iovec slice[SLICE_PARTS];
        int filled = rv_io_slice(parts, count, done, PIPE_BUF, slice, SLICE_PARTS);
        long result = filled ? write_parts(io.target, slice, filled) : rv_sys_write(io.target, "", 0);
        if (result > 0) {
            rv_io_changed();
            done += (size_t)result;
        }
        if (done == total) return rv_io_end(&io, (long)done);
        if (result == -EAGAIN && !rv_io_may_block(fd)) return rv_io_end(&io, done ? (long)done : result);
        if (rv_sys_failed(result) && result != -EAGAIN) {
            long answer = rv_io_end_write(&io, result);
            return done ? (long)done : answer;
        }
        (void)rv_io_end(&io, (long)done);
    }
}

/* A counter that cannot take the value now makes a blocking writer wait; the kernel is asked without waiting. */
static long write_counter(int fd, const struct iovec *parts, int count, uintptr_t site) {
    for (;;) {
        struct rv_io io;
        int error = rv_io_begin_blocking(&io, RV_OP_FD_WRITE, fd, POLLOUT, site);
        if (error) return rv_io_end(&io, -error);
        rv_fd_moved(fd);
        long flags = rv_sys_fcntl(io.target, F_GETFL, 0);
        bool blocking = !rv_sys_failed(flags) && !(flags & O_NONBLOCK);
        if (blocking) (void)rv_sys_fcntl(io.target, F_SETFL, flags | O_NONBLOCK);
        long result = write_parts(io.target, parts, count);
        if (blocking) (void)rv_sys_fcntl(io.target, F_SETFL, flags);
        if (result > 0) rv_io_changed();
        if (result != -EAGAIN || !blocking) return rv_io_end(&io, result);
        (void)rv_io_end(&io, 0);
        error = rv_io_await_change(&io, RV_OP_FD_WRITE, fd, site);
        if (error) return rv_io_end(&io, -error);
    }
}

static long transfer_out(int fd, const struct iovec *parts, int count, uintptr_t site) {
    for (int i = 0; i < count; i++) rv_io_buffer(parts[i].iov_base, parts[i].iov_len, false, site);
    switch (rv_fd_kind_of(fd)) {
    case RV_FD_SOCKET: return rv_socket_write(fd, parts, count, site);
    case RV_FD_EVENT: return write_counter(fd, parts, count, site);
    case RV_FD_TIMER:
    case RV_FD_SIGNAL: return rv_fail_with(EINVAL); /* behind them stand counters of ours */
    case RV_FD_PIPE:
        if (!rv_fd_nonblocking(fd)) return write_pipe(fd, parts, count, site);
        break;
    default: break;
    }
    struct rv_io io;
    int error = rv_io_begin_blocking(&io, RV_OP_FD_WRITE, fd, POLLOUT, site);
    if (error) return rv_io_end(&io, -error);
    rv_fd_touch(fd);
    long result = write_parts(io.target, parts, count);
    if (result > 0 && carries_data(rv_fd_kind_of(fd))) rv_io_changed();
    return rv_io_end_write(&io, result);
}

long rv_io_write(int fd, const void *from, size_t size, uintptr_t site) {
    return transfer_out(fd, &(struct iovec){.iov_base = (void *)(uintptr_t)from, .iov_len = size}, 1, site);
}

RV_EXPORT ssize_t write(int fd, const void *from, size_t size) {
    if (rv_passive()) return RV_REAL(write)(fd, from, size);
    return rv_io_write(fd, from, size, RV_SITE());
}

RV_EXPORT ssize_t writev(int fd, const struct iovec *parts, int count) {
    if (rv_passive()) return RV_REAL(writev)(fd, parts, count);
    if (!valid_parts(parts, count)) return rv_result(rv_sys3(SYS_writev, fd, (long)parts, count));
    return transfer_out(fd, parts, count, RV_SITE());
}

/* ---- at an offset: files, which never wait ---- */

struct positioned {
    long number; /* the system call */
    int fd;
    const struct iovec *parts;
    int count;
    off_t offset;
    int flags;
    bool write;
};

static long positioned(const struct positioned *call, uintptr_t site) {
    size_t reported = 0;
    if (!call->write) reported = rv_io_room(call->parts, call->count, site);
    for (int i = 0; call->write && i < call->count; i++)
        (void)rv_io_buffer(call->parts[i].iov_base, call->parts[i].iov_len, false, site);
    struct rv_io io;
    int error = rv_io_begin(&io, call->write ? RV_OP_FD_WRITE : RV_OP_FD_READ, call->fd, 0, site);
    if (error) return rv_io_end(&io, -error);
    if (call->write) rv_fd_touch(call->fd);
    long result;
    if (!call->write && rv_fd_kind_of(call->fd) == RV_FD_RANDOM) {
        result = fill_random(call->parts, call->count);
    } else if (call->number == SYS_pread64 || call->number == SYS_pwrite64) {
        result = rv_sys4(call->number, call->fd, (long)call->parts->iov_base, (long)call->parts->iov_len,
                         call->offset);
    } else {
        result =
            rv_sys6(call->number, call->fd, (long)call->parts, call->count, call->offset, 0, call->flags);
    }
    if (!call->write && call->count == 1) rv_io_arrived(call->parts->iov_base, reported, result, site);
    long answer = rv_io_end(&io, result);
    return call->write ? answer : rv_io_filled(call->parts, call->count, answer, site);
}

RV_EXPORT ssize_t pread(int fd, void *to, size_t size, off_t offset) {
    if (rv_passive()) return RV_REAL(pread)(fd, to, size, offset);
    struct iovec part = {to, size};
    return positioned(&(struct positioned){SYS_pread64, fd, &part, 1, offset, 0, false}, RV_SITE());
}

ssize_t __pread_chk(int fd, void *to, size_t size, off_t offset, size_t room);
RV_EXPORT ssize_t __pread_chk(int fd, void *to, size_t size, off_t offset, size_t room) {
    if (rv_passive() || size > room) return RV_REAL(__pread_chk)(fd, to, size, offset, room);
    struct iovec part = {to, size};
    return positioned(&(struct positioned){SYS_pread64, fd, &part, 1, offset, 0, false}, RV_SITE());
}

RV_EXPORT ssize_t pwrite(int fd, const void *from, size_t size, off_t offset) {
    if (rv_passive()) return RV_REAL(pwrite)(fd, from, size, offset);
    struct iovec part = {(void *)(uintptr_t)from, size};
    return positioned(&(struct positioned){SYS_pwrite64, fd, &part, 1, offset, 0, true}, RV_SITE());
}

RV_ALSO(pread, pread64);
RV_ALSO(pwrite, pwrite64);
ssize_t __pread64_chk(int fd, void *to, size_t size, off64_t offset, size_t room);
RV_ALSO(__pread_chk, __pread64_chk);

RV_EXPORT ssize_t preadv(int fd, const struct iovec *parts, int count, off_t offset) {
    if (rv_passive() || !valid_parts(parts, count)) return RV_REAL(preadv)(fd, parts, count, offset);
    return positioned(&(struct positioned){SYS_preadv2, fd, parts, count, offset, 0, false}, RV_SITE());
}

RV_EXPORT ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
    if (rv_passive() || !valid_parts(parts, count)) return RV_REAL(pwritev)(fd, parts, count, offset);
    return positioned(&(struct positioned){SYS_pwritev2, fd, parts, count, offset, 0, true}, RV_SITE());
}

RV_EXPORT ssize_t preadv2(int fd, const struct iovec *parts, int count, off_t offset, int flags) {
    if (rv_passive() || !valid_parts(parts, count)) return RV_REAL(preadv2)(fd, parts, count, offset, flags);
    if (offset == -1 && rv_io_may_block(fd)) return transfer_in(fd, parts, count, RV_SITE());
    if (offset == -1) rv_fd_moved(fd);
    return positioned(&(struct positioned){SYS_preadv2, fd, parts, count, offset, flags, false}, RV_SITE());
}

RV_EXPORT ssize_t pwritev2(int fd, const struct iovec *parts, int count, off_t offset, int flags) {
    if (rv_passive() || !valid_parts(parts, count)) return RV_REAL(pwritev2)(fd, parts, count, offset, flags);
    if (offset == -1 && rv_io_may_block(fd)) return transfer_out(fd, parts, count, RV_SITE());
    return positioned(&(struct positioned){SYS_pwritev2, fd, parts, count, offset, flags, true}, RV_SITE());
}

RV_ALSO(preadv, preadv64);
RV_ALSO(pwritev, pwritev64);
RV_ALSO(preadv2, preadv64v2);
RV_ALSO(pwritev2, pwritev64v2);

/* ---- snapshot ---- */

void rv_io_snapshot(void) {
    rv_files_snapshot();
    rv_fds_snapshot();
    rv_epoll_snapshot();
    rv_timerfds_snapshot();
    rv_signalfds_snapshot();
    rv_streams_snapshot();
    rv_time_snapshot();
    rv_timers_snapshot();
    rv_signals_snapshot();
    rv_random_snapshot();
    rv_mappings_snapshot();
}

void rv_io_restore(void) {
    rv_children_restore(); /* first: they hold descriptors */
    rv_files_restore();
    rv_fds_restore();
    rv_epoll_restore();
    rv_timerfds_restore();
    rv_signalfds_restore();
    rv_streams_restore();
    rv_time_restore();
    rv_timers_restore();
    rv_signals_restore();
    rv_random_restore();
    rv_mappings_restore();
}
