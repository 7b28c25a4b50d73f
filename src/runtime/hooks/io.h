/* What the hook files for descriptors share, beyond the door (outside.h).
 *
 *   fds.c       the table: what each descriptor is        saved.c    objects of the snapshot, saved and brought back
 *   wait.c      waits as scheduling points                output.c   standard output and error
 *   io.c        read, write and their kin                 open.c     open, close, dup, fcntl, pipe, eventfd ...
 *   socket.c    sockets         poll.c, epoll.c           timerfd.c, signalfd.c  on virtual time and signals
 *   stdio.c     locks of FILEs and the calls that take them   stream.c  FILEs over pipes and sockets
 */
#ifndef RV_RUNTIME_HOOKS_IO_H
#define RV_RUNTIME_HOOKS_IO_H

#include <sys/stat.h>
#include <sys/uio.h>

#include "runtime/hooks/outside.h"

/* Exports the hook `name` as `other` too: the names with 64 are the same functions on 64-bit machines. */
#if __has_attribute(copy)
#define RV_ALSO(name, other) extern RV_EXPORT __typeof__(name) other __attribute__((alias(#name), copy(name)))
#else
#define RV_ALSO(name, other) extern RV_EXPORT __typeof__(name) other __attribute__((alias(#name)))
#endif

/* ---- fds.c ---- */
struct rv_descriptor {
    uint8_t kind; /* enum rv_fd_kind; only valid if `known` */
    bool known;   /* came through a hook or was there at the snapshot; else the kernel is asked each time */
    bool internal;
    bool whole; /* this process made it with both ends, whoever may share it by now */
    bool ours;
    bool nonblocking; /* as of `asked`, see rv_fd_nonblocking */
    uint32_t asked;
    int channel;    /* one number for both ends of a pipe or pair and for duplicates; see rv_fd_object */
    int object;     /* 1-based, among the objects of the snapshot; 0: came later */
    uint64_t inode; /* of sockets */
    uint64_t peer;  /* the inode of the other end of a socketpair; 0: none */
};
/* NULL: not a number that a descriptor can have. */
struct rv_descriptor *rv_descriptor(int fd);
/* Status flags of some descriptor change. */
void rv_fds_reflagged(void);
/* What an operation on it is about, for rv_pending.object: two operations whose order can matter have the same one,
 * so both ends of a pipe share a number. */
const void *rv_fd_object(int fd);
/* Descriptors may have come into being that no hook has seen (libc opens some by itself). */
void rv_fds_opened_somewhere(void);
/* A descriptor of ours, beyond the program's reach, for the same open file. -1: none left. */
int rv_fd_copy_hidden(int fd);
void rv_fd_close_hidden(int fd);
int rv_fds_bound(void); /* the program's numbers that the table knows lie below */
/* close_range(2) without what is ours. */
long rv_fds_close_between(unsigned first, unsigned last, int flags);
int rv_fd_null(void); /* /dev/null, ours */
/* The offset of a file, or what is in a pipe, changes; not the contents of a file. Cheaper than rv_fd_touch. */
void rv_fd_moved(int fd);

/* ---- saved.c ---- */
/* The state behind the descriptor (offset, contents, flags) changes; `object` as in rv_descriptor. */
void rv_saved_touch(int object);
/* The contents of a file change through this descriptor. */
void rv_saved_writing(int object, int fd);
/* Its status flags (O_NONBLOCK) or options change. */
void rv_saved_flags(int object);
/* It becomes something else (bind, connect, shutdown): cannot be emptied, must be made anew. */
void rv_saved_remake(int object);
/* The number is closed or taken over. True: we keep the open file. */
bool rv_saved_closing(int fd, int object);
/* Processes forked from this one will use the same open files, one after the other. */
void rv_saved_share(void);
/* This process is a copy of another that goes on to use the same open files: makes our own. */
void rv_saved_forked(void);
void rv_saved_snapshot(void);
void rv_saved_restore(void);
bool rv_saved_dirty(void);
/* There is something left to bring back, which must be done before the next execution touches a descriptor. */
extern bool rv_saved_later;
void rv_revive_later(void);
/* Calls `keep` for every descriptor of the snapshot, ascending. */
void rv_saved_each(void (*keep)(int fd, void *data), void *data);

/* ---- output.c ---- */
void rv_output_look(void); /* before the descriptors are saved */
void rv_output_snapshot(void);
/* After each execution, and in a process forked for one: where standard output goes from now on. */
void rv_output_decide(void);
/* Descriptors have been put back: those that were silenced are silenced again. */
void rv_output_again(void);
/* The descriptor that fd stood for before it was silenced; fd itself if it was not. */
int rv_output_original(int fd);
/* Whether this is the file behind standard output or error. */
bool rv_output_is(const struct stat *status);

/* ---- wait.c ---- */
/* One call on one descriptor. */
struct rv_io {
    int fd;     /* as the program gave it */
    int target; /* what the kernel is asked with: fd, or ours if fd was closed while the call waited */
    struct rv_pending pending;
};
/* Announces `op` on fd, a cancellation point, and, if events is not 0, waits until fd is ready for them. 0: make the
 * call on io->target, now, then rv_io_end; else EINTR. */
int rv_io_begin(struct rv_io *io, enum rv_op op, int fd, short events, uintptr_t site);
/* The same with an end in virtual ns; RV_FOREVER: none. length: for reports. 0, EINTR or ETIMEDOUT. */
int rv_io_begin_until(struct rv_io *io, enum rv_op op, int fd, short events, int64_t deadline, int64_t length,
                      uintptr_t site);
/* Reports the call with its raw result and gives the result as libc does (errno, -1). */
long rv_io_end(struct rv_io *io, long result);
/* Waits until anything changes that has to do with descriptors. 0 or EINTR. */
int rv_io_await_change(struct rv_io *io, enum rv_op op, int fd, uintptr_t site);
/* A descriptor is being closed: calls that wait for it keep the open file. True: there are any. */
bool rv_wait_pin(int fd);
void rv_wait_unpin(int fd);
void rv_wait_restore(void);

/* ---- io.c ---- */
/* Whether calls on it may have to wait, and it has not been told not to. */
bool rv_io_may_block(int fd);
/* rv_io_begin that waits for events if the descriptor may block, whatever it has become by then. */
int rv_io_begin_blocking(struct rv_io *io, enum rv_op op, int fd, short events, uintptr_t site);
/* A result of a write: SIGPIPE if the reader is gone. Returns as rv_io_end. */
long rv_io_end_write(struct rv_io *io, long result);
/* Reports what a call will touch, clipped to the heap block; rv_io_arrived reports the rest, if it came. */
size_t rv_io_buffer(const void *buffer, size_t size, bool write, uintptr_t site);
void rv_io_arrived(const void *buffer, size_t reported, long arrived, uintptr_t site);
/* The same for what a call will fill: analyses are told of it when it has come, by rv_io_filled, after rv_io_end. */
size_t rv_io_room(const struct iovec *parts, int count, uintptr_t site);
long rv_io_filled(const struct iovec *parts, int count, long result, uintptr_t site);
long rv_io_read(int fd, void *to, size_t size, uintptr_t site);
long rv_io_write(int fd, const void *from, size_t size, uintptr_t site);
/* Fills `slice` with at most `limit` bytes of parts, after the first `skip`; how many entries (at most `room`). */
int rv_io_slice(const struct iovec *parts, int count, size_t skip, size_t limit, struct iovec *slice,
                int room);
size_t rv_io_total(const struct iovec *parts, int count);

/* ---- files.c ---- */
/* openat(2), never blocking the carrier; fd or -errno. */
long rv_file_open(int directory, const char *path, int flags, unsigned mode, uintptr_t site);
/* The file is about to get this size: what it loses may be mapped, and to read that is an error from then on. */
void rv_file_shrinking(int fd, off_t size, uintptr_t site);
/* What open(2) needs for fopen's mode. */
int rv_file_flags(const char *mode);
/* libc is about to open the file in fopen's mode. */
void rv_file_fopen(const char *path, const char *mode);

/* ---- open.c ---- */
int rv_io_close(int fd, uintptr_t site);

/* ---- socket.c: reads and writes on sockets ---- */
long rv_socket_write(int fd, const struct iovec *parts, int count, uintptr_t site);
/* Whether this process is at the other end of a Unix socket, too. */
bool rv_peer_is_self(int fd);

/* ---- epoll.c ---- */
void rv_epoll_remade(int fd); /* another open file stands behind fd: its registrations are gone */
void rv_epoll_unregister(
    int fd); /* the program closes fd, yet we keep the open file: ends its registrations */
void rv_epoll_forked(void);

/* ---- timerfd.c ---- */
extern int64_t rv_timerfd_due; /* virtual time of the next expiry of any; RV_FOREVER none */
void rv_timerfds_expire(void);
static inline void rv_timerfds_check(void) {
    if (RV_UNLIKELY(rv.now >= rv_timerfd_due)) rv_timerfds_expire();
}
void rv_timerfd_forget(int fd);
void rv_timerfds_snapshot(void);
void rv_timerfds_restore(void);

/* ---- signalfd.c ---- */
extern bool rv_signalfds_exist;
/* Brings the readiness of all of them up to date for this fiber. */
void rv_signalfds_check(const struct rv_fiber *fiber);
long rv_signalfd_read(int fd, void *to, size_t size, uintptr_t site);
void rv_signalfd_forget(int fd);
void rv_signalfds_snapshot(void);
void rv_signalfds_restore(void);

/* ---- stream.c ---- */
void rv_streams_snapshot(void);
void rv_streams_restore(void);

static inline long rv_fail_with(int error) {
    errno = error;
    return -1;
}

/* Writes a number that is not negative, in decimal, with a final 0. */
static inline void rv_text_number(char *to, int number) {
    int digits = 1;
    for (int rest = number; rest >= 10; rest /= 10) digits++;
    to[digits] = '\0';
    for (; digits > 0; number /= 10) to[--digits] = (char)('0' + number % 10);
}

static inline long rv_sys_fstat(int fd, struct stat *status) { return rv_sys2(SYS_fstat, fd, (long)status); }

#endif
