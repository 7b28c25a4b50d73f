/* Sockets.
 *
 * Every call is made with MSG_DONTWAIT (connect: with O_NONBLOCK for that moment), after waiting through the
 * scheduler if the program's own call would wait. Who is at the other end decides whether only this process can make it
 * ready: pairs, and local connections whose peer is this process. TCP over loopback is not taken for such: the
 * kernel may deliver a little later than the send returns.
 */
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/hooks/io.h"
#include "runtime/watch.h"
#include "runtime/native.h"

enum { SLICE_PARTS = 16, MAX_PARTS = 1024 };

static bool timeouts_used; /* SO_RCVTIMEO or SO_SNDTIMEO have been set on some socket */

static int object_of(int fd) {
    const struct rv_descriptor *descriptor = rv_descriptor(fd);
    return descriptor ? descriptor->object : 0;
}

/* ---- making and changing ---- */

RV_EXPORT int socket(int domain, int type, int protocol) {
    if (rv_passive()) return RV_REAL(socket)(domain, type, protocol);
    long fd = rv_sys3(SYS_socket, domain, type, protocol);
    if (!rv_sys_failed(fd)) rv_fd_opened((int)fd, RV_FD_SOCKET, false, -1);
    return (int)rv_result(fd);
}

RV_EXPORT int socketpair(int domain, int type, int protocol, int ends[2]) {
    if (rv_passive()) return RV_REAL(socketpair)(domain, type, protocol, ends);
    rv_access(ends, 2 * sizeof *ends, true, RV_SITE());
    long result = rv_sys4(SYS_socketpair, domain, type, protocol, (long)ends);
    if (rv_sys_failed(result)) return (int)rv_result(result);
    rv_fd_opened(ends[0], RV_FD_SOCKET, true, ends[1]);
    rv_fd_opened(ends[1], RV_FD_SOCKET, true, ends[0]);
    return 0;
}

/* A call that makes something else of the socket. */
static int change(int fd, long number, long a, long b, uintptr_t site) {
    struct rv_io io;
    (void)rv_io_begin(&io, RV_OP_FD_WRITE, fd, 0, site);
    long result = rv_sys3(number, fd, a, b);
    if (!rv_sys_failed(result) && object_of(fd)) rv_saved_remake(object_of(fd));
    rv_io_changed();
    return (int)rv_io_end(&io, result);
}

RV_EXPORT int bind(int fd, const struct sockaddr *address, socklen_t size) {
    if (rv_passive()) return RV_REAL(bind)(fd, address, size);
    return change(fd, SYS_bind, (long)address, size, RV_SITE());
}

RV_EXPORT int listen(int fd, int backlog) {
    if (rv_passive()) return RV_REAL(listen)(fd, backlog);
    return change(fd, SYS_listen, backlog, 0, RV_SITE());
}

RV_EXPORT int shutdown(int fd, int how) {
    if (rv_passive()) return RV_REAL(shutdown)(fd, how);
    return change(fd, SYS_shutdown, how, 0, RV_SITE());
}

RV_EXPORT int setsockopt(int fd, int level, int name, const void *value, socklen_t size) {
    if (rv_passive()) return RV_REAL(setsockopt)(fd, level, name, value, size);
    if (level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO)) timeouts_used = true;
    if (object_of(fd)) rv_saved_flags(object_of(fd));
    rv_io_changed();
    return (int)rv_result(rv_sys6(SYS_setsockopt, fd, level, name, (long)value, size, 0));
}

/* ---- waiting ---- */

/* The end of a wait on this socket, as SO_RCVTIMEO or SO_SNDTIMEO say; length -1: none. */
static int64_t timeout_of(int fd, int name, int64_t *length) {
    struct timeval value = {0, 0};
    socklen_t size = sizeof value;
    *length = -1;
    if (!timeouts_used) return RV_FOREVER;
    (void)rv_sys6(SYS_getsockopt, fd, SOL_SOCKET, name, (long)&value, (long)&size, 0);
    if (value.tv_sec == 0 && value.tv_usec == 0) return RV_FOREVER;
    *length = (int64_t)value.tv_sec * RV_SECOND + (int64_t)value.tv_usec * 1000;
    return rv.now + *length;
}

/* Announces the operation and waits if a call with these flags would. 0, EINTR or EAGAIN (its time is up). */
static int begin(struct rv_io *io, enum rv_op op, int fd, int flags, short events, uintptr_t site) {
    bool waits = !(flags & MSG_DONTWAIT) && rv_io_may_block(fd);
    int64_t length, deadline = timeout_of(fd, events & POLLOUT ? SO_SNDTIMEO : SO_RCVTIMEO, &length);
    int error = rv_io_begin_until(io, op, fd, waits ? events : 0, deadline, length, site);
    if (error == 0 || error == ETIMEDOUT) rv_fd_moved(fd);
    return error == ETIMEDOUT ? EAGAIN : error;
}

/* ---- connections ---- */

bool rv_peer_is_self(int fd) {
    struct ucred peer = {0, 0, 0};
    socklen_t size = sizeof peer;
    long result = rv_sys6(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, (long)&peer, (long)&size, 0);
    return !rv_sys_failed(result) && peer.pid == rv_sys_getpid();
}

static int accept_one(int fd, struct sockaddr *address, socklen_t *size, int flags, uintptr_t site) {
    struct rv_io io;
    int error = begin(&io, RV_OP_FD_ACCEPT, fd, rv_io_may_block(fd) ? 0 : MSG_DONTWAIT, POLLIN, site);
    if (error) return (int)rv_io_end(&io, -error);
    long result = rv_sys4(SYS_accept4, io.target, (long)address, (long)size, flags);
    if (!rv_sys_failed(result)) {
        rv_fd_opened((int)result, RV_FD_SOCKET, rv_peer_is_self((int)result), -1);
        rv_io_changed();
    }
    return (int)rv_io_end(&io, result);
}

RV_EXPORT int accept(int fd, struct sockaddr *address, socklen_t *size) {
    if (rv_passive())
        return rv_native_readable(fd) ? RV_REAL(accept)(fd, address, size)
                                      : RV_BLOCKING(RV_REAL(accept)(fd, address, size));
    return accept_one(fd, address, size, 0, RV_SITE());
}

RV_EXPORT int accept4(int fd, struct sockaddr *address, socklen_t *size, int flags) {
    if (rv_passive()) return RV_REAL(accept4)(fd, address, size, flags);
    return accept_one(fd, address, size, flags, RV_SITE());
}

static long connect_now(int fd, const struct sockaddr *address, socklen_t size, bool blocking) {
    long flags = blocking ? rv_sys_fcntl(fd, F_GETFL, 0) : 0;
    if (blocking) (void)rv_sys_fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    long result = rv_sys3(SYS_connect, fd, (long)address, size);
    if (blocking) (void)rv_sys_fcntl(fd, F_SETFL, flags);
    return result;
}

/* After EINPROGRESS: waits for the outcome. */
static long connect_outcome(struct rv_io *io, int fd, uintptr_t site) {
    int error = rv_io_begin(io, RV_OP_FD_WRITE, fd, POLLOUT, site);
    if (error) return -error;
    int outcome = 0;
    socklen_t size = sizeof outcome;
    long result = rv_sys6(SYS_getsockopt, io->target, SOL_SOCKET, SO_ERROR, (long)&outcome, (long)&size, 0);
    return rv_sys_failed(result) ? result : -outcome;
}

RV_EXPORT int connect(int fd, const struct sockaddr *address, socklen_t size) {
    if (rv_passive()) return RV_REAL(connect)(fd, address, size);
    uintptr_t site = RV_SITE();
    rv_io_buffer(address, size, false, site);
    struct rv_io io;
    for (;;) {
        (void)rv_io_begin(&io, RV_OP_FD_WRITE, fd, 0, site);
        bool blocking = rv_io_may_block(fd);
        long result = connect_now(fd, address, size, blocking);
        bool progress = result == -EINPROGRESS;
        if (object_of(fd) && (!rv_sys_failed(result) || progress)) rv_saved_remake(object_of(fd));
        if (blocking && progress) {
            (void)rv_io_end(&io, 0);
            result = connect_outcome(&io, fd, site);
        }
        rv_io_changed();
        if (!rv_sys_failed(result) && rv_peer_is_self(io.target) && address->sa_family == AF_UNIX)
            rv_fd_internalise(fd);
        if (!blocking || result != -EAGAIN) return (int)rv_io_end(&io, result);
        /* The listener's queue is full: until somebody accepts. */
        (void)rv_io_end(&io, 0);
        int error = rv_io_await_change(&io, RV_OP_FD_WRITE, fd, site);
        if (error) return (int)rv_io_end(&io, -error);
    }
}

/* ---- sending ---- */

static bool is_stream(int fd) {
    int type = 0;
    socklen_t size = sizeof type;
    (void)rv_sys6(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, (long)&type, (long)&size, 0);
    return type == SOCK_STREAM;
}

/* One attempt to send what is left; done > 0: only bytes, on a stream. */
static long send_rest(int fd, const struct msghdr *message, size_t done, int flags) {
    struct iovec slice[SLICE_PARTS];
    struct msghdr rest = *message;
    if (done) {
        rest.msg_iovlen = (size_t)rv_io_slice(message->msg_iov, (int)message->msg_iovlen, done, SIZE_MAX,
                                              slice, SLICE_PARTS);
        rest.msg_iov = slice;
        rest.msg_control = NULL;
        rest.msg_controllen = 0;
    }
    return rv_sys3(SYS_sendmsg, fd, (long)&rest, flags | MSG_DONTWAIT);
}

static long finish_send(struct rv_io *io, long result, size_t done, int flags) {
    if (done && rv_sys_failed(result)) result = (long)done;
    return flags & MSG_NOSIGNAL ? rv_io_end(io, result) : rv_io_end_write(io, result);
}

static long send_message(int fd, const struct msghdr *message, int flags, uintptr_t site) {
    if (message->msg_iovlen > MAX_PARTS) return rv_fail_with(EMSGSIZE);
    size_t total = rv_io_total(message->msg_iov, (int)message->msg_iovlen), done = 0;
    for (size_t i = 0; i < message->msg_iovlen; i++) {
        rv_io_buffer(message->msg_iov[i].iov_base, message->msg_iov[i].iov_len, false, site);
    }
    for (;;) {
        struct rv_io io;
        int error = begin(&io, RV_OP_FD_WRITE, fd, flags, POLLOUT, site);
        if (error == EINTR) return finish_send(&io, -EINTR, done, flags);
        long result = send_rest(io.target, message, done, flags);
        if (result > 0) {
            rv_io_changed();
            done += (size_t)result;
        }
        bool blocking = !(flags & MSG_DONTWAIT) && rv_io_may_block(fd) && error != EAGAIN;
        if (!rv_sys_failed(result) && (done >= total || !blocking || !is_stream(io.target))) {
            return finish_send(&io, (long)done, 0, flags);
        }
        if (rv_sys_failed(result) && (result != -EAGAIN || !blocking))
            return finish_send(&io, result, done, flags);
        (void)rv_io_end(&io, (long)done);
        if (result != -EAGAIN) continue;
        /* Ready, and yet it does not take it: a datagram too large for what is left, or a full receiver. */
        error = rv_io_await_change(&io, RV_OP_FD_WRITE, fd, site);
        if (error) return finish_send(&io, -error, done, flags);
    }
}

long rv_socket_write(int fd, const struct iovec *parts, int count, uintptr_t site) {
    struct msghdr message = {.msg_iov = (struct iovec *)(uintptr_t)parts, .msg_iovlen = (size_t)count};
    return send_message(fd, &message, 0, site);
}

RV_EXPORT ssize_t send(int fd, const void *from, size_t size, int flags) {
    if (rv_passive()) return RV_REAL(send)(fd, from, size, flags);
    struct iovec part = {(void *)(uintptr_t)from, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    return send_message(fd, &message, flags, RV_SITE());
}

RV_EXPORT ssize_t sendto(int fd, const void *from, size_t size, int flags, const struct sockaddr *to,
                         socklen_t to_size) {
    if (rv_passive()) return RV_REAL(sendto)(fd, from, size, flags, to, to_size);
    struct iovec part = {(void *)(uintptr_t)from, size};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_name = (void *)(uintptr_t)to,
                             .msg_namelen = to ? to_size : 0};
    return send_message(fd, &message, flags, RV_SITE());
}

RV_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    if (rv_passive()) return RV_REAL(sendmsg)(fd, message, flags);
    return send_message(fd, message, flags, RV_SITE());
}

RV_EXPORT int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags) {
    if (rv_passive()) return RV_REAL(sendmmsg)(fd, messages, count, flags);
    unsigned sent = 0;
    for (; sent < count; sent++) {
        long result = send_message(fd, &messages[sent].msg_hdr, flags, RV_SITE());
        if (result < 0) return sent ? (int)sent : -1;
        messages[sent].msg_len = (unsigned)result;
    }
    return (int)sent;
}

/* ---- receiving ---- */

/* Descriptors that came with the message. */
static void register_passed(const struct msghdr *message) {
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part;
         part = CMSG_NXTHDR((struct msghdr *)(uintptr_t)message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
            rv_fd_opened(fd, RV_FD_UNKNOWN, false, -1);
        }
    }
}

/* One receive into what is left of the message's room; done > 0: more bytes of a stream. */
static long receive_rest(int fd, struct msghdr *message, size_t done, int flags) {
    struct iovec slice[SLICE_PARTS];
    if (!done) return rv_sys3(SYS_recvmsg, fd, (long)message, (flags & ~MSG_WAITALL) | MSG_DONTWAIT);
    struct msghdr rest = {.msg_iov = slice};
    rest.msg_iovlen =
        (size_t)rv_io_slice(message->msg_iov, (int)message->msg_iovlen, done, SIZE_MAX, slice, SLICE_PARTS);
    return rv_sys3(SYS_recvmsg, fd, (long)&rest, (flags & ~MSG_WAITALL) | MSG_DONTWAIT);
}

static long receive_message(int fd, struct msghdr *message, int flags, uintptr_t site) {
    if (message->msg_iovlen > MAX_PARTS) return rv_fail_with(EMSGSIZE);
    size_t total = rv_io_total(message->msg_iov, (int)message->msg_iovlen), done = 0;
    size_t reported = rv_io_room(message->msg_iov, (int)message->msg_iovlen, site);
    short events = flags & MSG_OOB ? POLLPRI : POLLIN;
    if (flags & MSG_ERRQUEUE) flags |= MSG_DONTWAIT; /* never waits */
    for (;;) {
        struct rv_io io;
        int error = begin(&io, RV_OP_FD_READ, fd, flags, events, site);
        if (error == EINTR) return rv_io_end(&io, done ? (long)done : -EINTR);
        long result = receive_rest(io.target, message, done, flags);
        if (rv_sys_failed(result)) return rv_io_end(&io, done ? (long)done : result);
        rv_io_changed();
        if (message->msg_controllen && !done) register_passed(message);
        done += (size_t)result;
        bool all = (flags & MSG_WAITALL) && !(flags & (MSG_PEEK | MSG_DONTWAIT)) && error == 0;
        if (result == 0 || !all || done >= total || !rv_io_may_block(fd) || !is_stream(io.target)) {
            if (message->msg_iovlen == 1)
                rv_io_arrived(message->msg_iov->iov_base, reported, (long)done, site);
            return rv_io_filled(message->msg_iov, (int)message->msg_iovlen, rv_io_end(&io, (long)done), site);
        }
        (void)rv_io_end(&io, (long)done);
    }
}

RV_EXPORT ssize_t recv(int fd, void *to, size_t size, int flags) {
    if (rv_passive())
        return rv_native_readable(fd) ? RV_REAL(recv)(fd, to, size, flags)
                                      : RV_BLOCKING(RV_REAL(recv)(fd, to, size, flags));
    struct iovec part = {to, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    return receive_message(fd, &message, flags, RV_SITE());
}

ssize_t __recv_chk(int fd, void *to, size_t size, size_t room, int flags);
RV_EXPORT ssize_t __recv_chk(int fd, void *to, size_t size, size_t room, int flags) {
    if (rv_passive() || size > room) return RV_REAL(__recv_chk)(fd, to, size, room, flags);
    struct iovec part = {to, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    return receive_message(fd, &message, flags, RV_SITE());
}

static ssize_t receive_from(int fd, struct iovec part, int flags, struct sockaddr *from, socklen_t *from_size,
                            uintptr_t site) {
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_name = from,
                             .msg_namelen = from && from_size ? *from_size : 0};
    long result = receive_message(fd, &message, flags, site);
    if (result >= 0 && from && from_size) *from_size = message.msg_namelen;
    return result;
}

RV_EXPORT ssize_t recvfrom(int fd, void *restrict to, size_t size, int flags, struct sockaddr *restrict from,
                           socklen_t *restrict from_size) {
    if (rv_passive())
        return rv_native_readable(fd) ? RV_REAL(recvfrom)(fd, to, size, flags, from, from_size)
                                      : RV_BLOCKING(RV_REAL(recvfrom)(fd, to, size, flags, from, from_size));
    return receive_from(fd, (struct iovec){to, size}, flags, from, from_size, RV_SITE());
}

ssize_t __recvfrom_chk(int fd, void *to, size_t size, size_t room, int flags, struct sockaddr *from,
                       socklen_t *from_size);
RV_EXPORT ssize_t __recvfrom_chk(int fd, void *to, size_t size, size_t room, int flags, struct sockaddr *from,
                                 socklen_t *from_size) {
    if (rv_passive() || size > room)
        return RV_REAL(__recvfrom_chk)(fd, to, size, room, flags, from, from_size);
    return receive_from(fd, (struct iovec){to, size}, flags, from, from_size, RV_SITE());
}

RV_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags) {
    if (rv_passive())
        return rv_native_readable(fd) ? RV_REAL(recvmsg)(fd, message, flags)
                                      : RV_BLOCKING(RV_REAL(recvmsg)(fd, message, flags));
    return receive_message(fd, message, flags, RV_SITE());
}

RV_EXPORT int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
                       struct timespec *timeout) {
    if (rv_passive()) return RV_REAL(recvmmsg)(fd, messages, count, flags, timeout);
    if (timeout) rv_note("recvmmsg with a time-out: the time-out is not looked at");
    unsigned received = 0;
    for (; received < count; received++) {
        int how = (flags & ~MSG_WAITFORONE) | (received && (flags & MSG_WAITFORONE) ? MSG_DONTWAIT : 0);
        long result = receive_message(fd, &messages[received].msg_hdr, how, RV_SITE());
        if (result < 0) return received ? (int)received : -1;
        messages[received].msg_len = (unsigned)result;
    }
    return (int)received;
}
