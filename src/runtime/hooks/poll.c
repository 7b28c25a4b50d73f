/* poll and select.
 *
 * The set is copied first: while the call waits, a descriptor of it may be closed, and the copy then stands for the
 * open file (wait.c). Virtual time ends the wait. The signal mask of ppoll and pselect is put in place for the
 * time of the call.
 */
#include <sys/select.h>

#include "runtime/hooks/io.h"
#include "runtime/native.h"

enum { MAX_SET = 1024 };

static int64_t deadline_after(int64_t length) {
    if (length < 0) return RV_FOREVER;
    return length > RV_FOREVER - rv.now ? RV_FOREVER : rv.now + length;
}

/* Waits and asks once more: the number of ready ones (revents filled in), or -errno. length: ns, -1 none. */
static long wait_and_ask(struct pollfd *fds, unsigned count, int64_t length, const sigset_t *mask,
                         uintptr_t site) {
    struct rv_pending pending;
    uint64_t before = mask ? rv_signal_mask(rv.current) : 0;
    if (mask) rv_signal_set_mask(rv.current, rv_signal_bits(mask));
    enum rv_wake wake = rv_wait_set(fds, count, deadline_after(length), length, site, &pending);
    rv_timerfds_check();
    if (rv_signalfds_exist) rv_signalfds_check(rv.current);
    int ready = rv_poll_now(fds, count);
    long result = ready;
    if (ready <= 0 && wake == RV_SIGNAL) result = -EINTR;
    unsigned flags = wake == RV_TIMEOUT && ready == 0 ? RV_EVENT_TIMEOUT : 0;
    if (mask) {
        rv_signal_set_mask(rv.current, before);
        if (rv_signals_wanted(rv.current)) (void)rv_signals_run();
    }
    rv_done(&pending, (uint64_t)result, rv_sys_failed(result) ? RV_EVENT_FAILED : flags);
    return result;
}

static long poll_set(struct pollfd *fds, nfds_t count, int64_t length, const sigset_t *mask, uintptr_t site) {
    if (count > MAX_SET) {
        rv_note("poll of more than %d descriptors: closing one of them during the wait is seen as an error",
                MAX_SET);
        return rv_result(wait_and_ask(fds, (unsigned)count, length, mask, site));
    }
    struct pollfd copy[count ? count : 1];
    if (count) rv_access(fds, count * sizeof *fds, true, site);
    memcpy(copy, fds, count * sizeof *fds);
    long result = wait_and_ask(copy, (unsigned)count, length, mask, site);
    for (nfds_t i = 0; i < count; i++) {
        fds[i].revents = rv_sys_failed(result) ? 0 : copy[i].revents;
        if (copy[i].fd != fds[i].fd) rv_wait_unpin(copy[i].fd);
    }
    return rv_result(result);
}

/* Natively: a poll or select of nothing is a sleep. */
static int native_poll(struct pollfd *fds, nfds_t count, int milliseconds) {
    int real = rv_native_milliseconds(milliseconds);
    if (count == 0 && milliseconds > 0)
        return RV_SLEEPING((int64_t)milliseconds * 1000000, RV_REAL(poll)(fds, count, real));
    return RV_BLOCKING_IF(RV_REAL(poll)(fds, count, 0), 0, RV_REAL(poll)(fds, count, real));
}

static int native_select(int bound, fd_set *reading, fd_set *writing, fd_set *special,
                         struct timeval *timeout) {
    if (!rv_native_on || !timeout)
        return RV_BLOCKING(RV_REAL(select)(bound, reading, writing, special, timeout));
    int64_t ns = (int64_t)timeout->tv_sec * RV_SECOND + timeout->tv_usec * 1000;
    int64_t real = rv_native_length(ns);
    struct timeval slowed = {.tv_sec = real / RV_SECOND, .tv_usec = real % RV_SECOND / 1000};
    if (!reading && !writing && !special)
        return RV_SLEEPING(ns, RV_REAL(select)(bound, NULL, NULL, NULL, &slowed));
    return RV_BLOCKING(RV_REAL(select)(bound, reading, writing, special, &slowed));
}

RV_EXPORT int poll(struct pollfd *fds, nfds_t count, int milliseconds) {
    if (rv_passive()) return native_poll(fds, count, milliseconds);
    int64_t length = milliseconds < 0 ? -1 : (int64_t)milliseconds * 1000000;
    return (int)poll_set(fds, count, length, NULL, RV_SITE());
}

int __poll_chk(struct pollfd *fds, nfds_t count, int milliseconds, size_t room);
RV_EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int milliseconds, size_t room) {
    if (rv_passive() || room / sizeof *fds < count)
        return RV_REAL(__poll_chk)(fds, count, milliseconds, room);
    int64_t length = milliseconds < 0 ? -1 : (int64_t)milliseconds * 1000000;
    return (int)poll_set(fds, count, length, NULL, RV_SITE());
}

RV_EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask) {
    if (rv_passive()) return RV_REAL(ppoll)(fds, count, timeout, mask);
    int64_t length = timeout ? rv_timespec_ns(timeout) : -1;
    if (timeout && length < 0) return (int)rv_fail_with(EINVAL);
    return (int)poll_set(fds, count, length, mask, RV_SITE());
}

int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask,
                size_t room);
RV_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                          const sigset_t *mask, size_t room) {
    if (rv_passive() || room / sizeof *fds < count)
        return RV_REAL(__ppoll_chk)(fds, count, timeout, mask, room);
    int64_t length = timeout ? rv_timespec_ns(timeout) : -1;
    if (timeout && length < 0) return (int)rv_fail_with(EINVAL);
    return (int)poll_set(fds, count, length, mask, RV_SITE());
}

/* ---- select ---- */

static bool in(const fd_set *set, int fd) { return set && FD_ISSET(fd, set); }

static unsigned from_sets(int bound, const fd_set *reading, const fd_set *writing, const fd_set *special,
                          struct pollfd *fds) {
    unsigned count = 0;
    for (int fd = 0; fd < bound; fd++) {
        short events = 0;
        if (in(reading, fd)) events |= POLLIN;
        if (in(writing, fd)) events |= POLLOUT;
        if (in(special, fd)) events |= POLLPRI;
        if (events) fds[count++] = (struct pollfd){.fd = fd, .events = events};
    }
    return count;
}

static int keep_ready(fd_set *set, int fd, short revents, short events) {
    if (!in(set, fd)) return 0;
    if (revents & events) return 1;
    FD_CLR(fd, set);
    return 0;
}

static long select_set(int bound, fd_set *sets[3], int64_t length, const sigset_t *mask, uintptr_t site) {
    if (bound < 0) return rv_fail_with(EINVAL);
    if (bound > FD_SETSIZE) bound = FD_SETSIZE;
    struct pollfd fds[MAX_SET], before[MAX_SET];
    for (int i = 0; i < 3; i++) {
        if (sets[i] && bound) rv_access(sets[i], (size_t)(bound + 7) / 8, true, site);
    }
    unsigned count = from_sets(bound, sets[0], sets[1], sets[2], fds);
    for (unsigned i = 0; i < count; i++) {
        if (rv_sys_failed(rv_sys_fcntl(fds[i].fd, 1 /* F_GETFD */, 0))) return rv_fail_with(EBADF);
    }
    memcpy(before, fds, count * sizeof *fds); /* by number: a pin may take the place in fds */
    long result = wait_and_ask(fds, count, length, mask, site);
    for (unsigned i = 0; i < count; i++) {
        if (fds[i].fd != before[i].fd) rv_wait_unpin(fds[i].fd);
    }
    if (rv_sys_failed(result)) return rv_result(result);
    int ready = 0;
    for (unsigned i = 0; i < count; i++) {
        short revents = fds[i].revents;
        ready += keep_ready(sets[0], before[i].fd, revents, POLLIN | POLLHUP | POLLERR);
        ready += keep_ready(sets[1], before[i].fd, revents, POLLOUT | POLLERR);
        ready += keep_ready(sets[2], before[i].fd, revents, POLLPRI);
    }
    return ready;
}

RV_EXPORT int select(int bound, fd_set *restrict reading, fd_set *restrict writing, fd_set *restrict special,
                     struct timeval *restrict timeout) {
    if (rv_passive()) return native_select(bound, reading, writing, special, timeout);
    int64_t length = -1;
    if (timeout) {
        if (timeout->tv_sec < 0 || timeout->tv_usec < 0) return (int)rv_fail_with(EINVAL);
        struct timespec time = {timeout->tv_sec + timeout->tv_usec / 1000000,
                                timeout->tv_usec % 1000000 * 1000};
        length = rv_timespec_ns(&time);
    }
    int64_t end = deadline_after(length);
    long result = select_set(bound, (fd_set *[]){reading, writing, special}, length, NULL, RV_SITE());
    if (timeout && end != RV_FOREVER) { /* Linux says what was left */
        int64_t left = end > rv.now ? end - rv.now : 0;
        *timeout = (struct timeval){.tv_sec = left / RV_SECOND, .tv_usec = left % RV_SECOND / 1000};
    }
    return (int)result;
}

RV_EXPORT int pselect(int bound, fd_set *restrict reading, fd_set *restrict writing, fd_set *restrict special,
                      const struct timespec *restrict timeout, const sigset_t *restrict mask) {
    if (rv_passive()) return RV_REAL(pselect)(bound, reading, writing, special, timeout, mask);
    int64_t length = timeout ? rv_timespec_ns(timeout) : -1;
    if (timeout && length < 0) return (int)rv_fail_with(EINVAL);
    return (int)select_set(bound, (fd_set *[]){reading, writing, special}, length, mask, RV_SITE());
}
