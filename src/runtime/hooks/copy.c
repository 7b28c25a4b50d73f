/* Calls that move data from descriptor to descriptor: sendfile, splice, tee, vmsplice, copy_file_range.
 *
 * They wait for both sides through the scheduler and are then made without waiting. Each may move less than was
 * asked for, which its callers must expect anyway.
 */
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/hooks/io.h"

struct copy {
    int in, out; /* -1: memory */
    bool waits;  /* the program's call would */
};

/* Waits until both sides are ready, one after the other; 0, or EINTR. */
static int begin(struct rv_io *io, const struct copy *copy, uintptr_t site) {
    bool in_waits = copy->waits && copy->in >= 0 && rv_io_may_block(copy->in);
    bool out_waits = copy->waits && copy->out >= 0 && rv_io_may_block(copy->out);
    if (in_waits) {
        int error = rv_io_begin(io, RV_OP_FD_READ, copy->in, POLLIN, site);
        if (error || !out_waits) return error;
        (void)rv_io_end(io, 0);
    }
    int about = copy->out >= 0 ? copy->out : copy->in;
    return rv_io_begin(io, RV_OP_FD_WRITE, about, out_waits ? POLLOUT : 0, site);
}

/* After EAGAIN of a call that should wait: until something changes. */
static int again(struct rv_io *io, const struct copy *copy, uintptr_t site) {
    (void)rv_io_end(io, 0);
    int error = rv_io_await_change(io, RV_OP_FD_WRITE, copy->out >= 0 ? copy->out : copy->in, site);
    if (error) return error;
    (void)rv_io_end(io, 0);
    return 0;
}

static long moved(struct rv_io *io, long result) {
    if (result > 0) rv_io_changed();
    return rv_io_end_write(io, result);
}

static void touch(const struct copy *copy) {
    if (copy->in >= 0) rv_fd_moved(copy->in);
    if (copy->out >= 0) rv_fd_touch(copy->out);
}

static long splice_like(const struct copy *copy, long number, const long arguments[5], unsigned flags,
                        uintptr_t site) {
    for (;;) {
        struct rv_io io;
        int error = begin(&io, copy, site);
        if (error) return rv_io_end(&io, -error);
        touch(copy);
        long how = flags | SPLICE_F_NONBLOCK;
        bool five = number == SYS_splice; /* the flags come last: after five arguments, or three */
        long result = rv_sys6(number, arguments[0], arguments[1], arguments[2], five ? arguments[3] : how,
                              five ? arguments[4] : 0, five ? how : 0);
        if (result != -EAGAIN || !copy->waits) return moved(&io, result);
        error = again(&io, copy, site);
        if (error) return rv_io_end(&io, -error);
    }
}

RV_EXPORT ssize_t splice(int in, off64_t *in_offset, int out, off64_t *out_offset, size_t size,
                         unsigned flags) {
    if (rv_passive()) return RV_REAL(splice)(in, in_offset, out, out_offset, size, flags);
    struct copy copy = {in, out, !(flags & SPLICE_F_NONBLOCK)};
    long arguments[] = {in, (long)in_offset, out, (long)out_offset, (long)size};
    return splice_like(&copy, SYS_splice, arguments, flags, RV_SITE());
}

RV_EXPORT ssize_t tee(int in, int out, size_t size, unsigned flags) {
    if (rv_passive()) return RV_REAL(tee)(in, out, size, flags);
    struct copy copy = {in, out, !(flags & SPLICE_F_NONBLOCK)};
    long arguments[5] = {in, out, (long)size};
    return splice_like(&copy, SYS_tee, arguments, flags, RV_SITE());
}

RV_EXPORT ssize_t vmsplice(int fd, const struct iovec *parts, size_t count, unsigned flags) {
    if (rv_passive()) return RV_REAL(vmsplice)(fd, parts, count, flags);
    bool reads = (rv_sys_fcntl(fd, F_GETFL, 0) & O_ACCMODE) == O_RDONLY;
    for (size_t i = 0; i < count; i++) rv_io_buffer(parts[i].iov_base, parts[i].iov_len, reads, RV_SITE());
    struct copy copy = {reads ? fd : -1, reads ? -1 : fd, !(flags & SPLICE_F_NONBLOCK)};
    long arguments[5] = {fd, (long)parts, (long)count};
    return splice_like(&copy, SYS_vmsplice, arguments, flags, RV_SITE());
}

RV_EXPORT ssize_t sendfile(int out, int in, off_t *offset, size_t size) {
    if (rv_passive()) return RV_REAL(sendfile)(out, in, offset, size);
    uintptr_t site = RV_SITE();
    struct copy copy = {in, out, true};
    for (;;) {
        struct rv_io io;
        int error = begin(&io, &copy, site);
        if (error) return rv_io_end(&io, -error);
        touch(&copy);
        /* There is no flag for it: the descriptor itself is told not to wait, for this moment. */
        bool waits = rv_io_may_block(out);
        long flags = waits ? rv_sys_fcntl(out, F_GETFL, 0) : 0;
        if (waits) (void)rv_sys_fcntl(out, F_SETFL, flags | O_NONBLOCK);
        long result = rv_sys4(SYS_sendfile, out, in, (long)offset, (long)size);
        if (waits) (void)rv_sys_fcntl(out, F_SETFL, flags);
        if (result != -EAGAIN || !waits) return moved(&io, result);
        error = again(&io, &copy, site);
        if (error) return rv_io_end(&io, -error);
    }
}
RV_ALSO(sendfile, sendfile64);

RV_EXPORT ssize_t copy_file_range(int in, off64_t *in_offset, int out, off64_t *out_offset, size_t size,
                                  unsigned flags) {
    if (rv_passive()) return RV_REAL(copy_file_range)(in, in_offset, out, out_offset, size, flags);
    struct rv_io io;
    struct copy copy = {in, out, false};
    (void)rv_io_begin(&io, RV_OP_FD_WRITE, out, 0, RV_SITE());
    touch(&copy);
    return rv_io_end(
        &io, rv_sys6(SYS_copy_file_range, in, (long)in_offset, out, (long)out_offset, (long)size, flags));
}
