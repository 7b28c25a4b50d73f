/* Timer descriptors on virtual time.
 *
 * Behind each stands an eventfd: its counter is the number of expiries that nobody has read, it is ready when
 * that is not 0, and reading it takes and resets it, all as with a timerfd. So poll, epoll and read need to know
 * nothing; only the counter must be brought up to date (rv_timerfds_check) before the kernel is asked about any
 * descriptor, and a thread that may be waiting for one can be woken by its time (wait.c).
 */
#include <fcntl.h>
#include <sys/timerfd.h>

#include "runtime/hooks/io.h"

enum { TIMERS = 256 };

struct timer {
    int name; /* as rv_fd_object names it, so that duplicates agree */
    int fd;
    clockid_t clock;
    int64_t due;      /* virtual ns; RV_FOREVER: disarmed */
    int64_t interval; /* 0: once */
};

static struct {
    struct timer timers[TIMERS];
    unsigned count;
} state, saved;
static bool dirty;
int64_t rv_timerfd_due = RV_FOREVER;

static void find_next(void) {
    rv_timerfd_due = RV_FOREVER;
    for (unsigned i = 0; i < state.count; i++) {
        if (state.timers[i].due < rv_timerfd_due) rv_timerfd_due = state.timers[i].due;
    }
}

static struct timer *find(int fd) {
    int name = (int)(intptr_t)rv_fd_object(fd);
    for (unsigned i = 0; rv_fd_kind_of(fd) == RV_FD_TIMER && i < state.count; i++) {
        if (state.timers[i].name == name) return &state.timers[i];
    }
    return NULL;
}

static void expire(struct timer *timer) {
    uint64_t times = 1;
    if (timer->interval > 0) {
        times += (uint64_t)((rv.now - timer->due) / timer->interval);
        timer->due += (int64_t)times * timer->interval;
    } else {
        timer->due = RV_FOREVER;
    }
    rv_fd_moved(timer->fd);
    (void)rv_sys_write(timer->fd, &times, sizeof times);
}

void rv_timerfds_expire(void) {
    for (unsigned i = 0; i < state.count; i++) {
        if (state.timers[i].due <= rv.now) expire(&state.timers[i]);
    }
    dirty = true;
    find_next();
    rv_io_changed();
}

void rv_timerfd_forget(int fd) {
    struct timer *timer = find(fd);
    if (!timer) return;
    for (int other = 0; other < 1024; other++) { /* a duplicate may take over */
        if (other == fd || rv_fd_kind_of(other) != RV_FD_TIMER || find(other) != timer) continue;
        timer->fd = other;
        return;
    }
    dirty = true;
    *timer = state.timers[--state.count];
    find_next();
}

void rv_timerfds_snapshot(void) {
    saved = state;
    dirty = false;
}

void rv_timerfds_restore(void) {
    if (!dirty) return;
    state = saved;
    dirty = false;
    find_next();
}

/* ---- the calls ---- */

RV_EXPORT int timerfd_create(int clock, int flags) {
    if (rv_passive()) return RV_REAL(timerfd_create)(clock, flags);
    bool valid = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
                 clock == CLOCK_REALTIME_ALARM || clock == CLOCK_BOOTTIME_ALARM;
    if (!valid || (flags & ~(TFD_CLOEXEC | TFD_NONBLOCK))) return (int)rv_fail_with(EINVAL);
    if (state.count == TIMERS) return (int)rv_fail_with(EMFILE);
    long fd = rv_sys2(SYS_eventfd2, 0, flags);
    if (rv_sys_failed(fd)) return (int)rv_result(fd);
    rv_fd_opened((int)fd, RV_FD_TIMER, true, -1);
    dirty = true;
    state.timers[state.count++] =
        (struct timer){.name = (int)fd, .fd = (int)fd, .clock = clock, .due = RV_FOREVER};
    return (int)fd;
}

static struct itimerspec left_of(const struct timer *timer) {
    struct itimerspec left = {.it_interval = rv_ns_timespec(timer->interval)};
    if (timer->due == RV_FOREVER) return (struct itimerspec){{0, 0}, {0, 0}};
    int64_t ns = timer->due > rv.now ? timer->due - rv.now : 1;
    left.it_value = rv_ns_timespec(ns);
    return left;
}

static void reset_counter(int fd) {
    uint64_t waste;
    struct pollfd one = {.fd = fd, .events = POLLIN};
    if (rv_poll_now(&one, 1) == 1) (void)rv_sys_read(fd, &waste, sizeof waste);
}

RV_EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *value, struct itimerspec *old) {
    if (rv_passive()) return RV_REAL(timerfd_settime)(fd, flags, value, old);
    struct rv_io io;
    (void)rv_io_begin(&io, RV_OP_FD_WRITE, fd, 0, RV_SITE());
    rv_timerfds_check();
    struct timer *timer = find(fd);
    int64_t first = rv_timespec_ns(&value->it_value), interval = rv_timespec_ns(&value->it_interval);
    bool known =
        flags == 0 || flags == TFD_TIMER_ABSTIME || flags == (TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET);
    if (!timer || first < 0 || interval < 0 || !known) {
        bool open = !rv_sys_failed(rv_sys_fcntl(fd, F_GETFD, 0));
        return (int)rv_io_end(&io, open ? -EINVAL : -EBADF);
    }
    if (old) *old = left_of(timer);
    dirty = true;
    timer->interval = interval;
    if (first == 0)
        timer->due = RV_FOREVER;
    else if (flags & TFD_TIMER_ABSTIME)
        timer->due = rv_deadline_from(timer->clock, &value->it_value);
    else
        timer->due = first > RV_FOREVER - rv.now ? RV_FOREVER : rv.now + first;
    rv_fd_moved(fd);
    reset_counter(timer->fd);
    find_next();
    rv_timerfds_check();
    rv_io_changed();
    return (int)rv_io_end(&io, 0);
}

RV_EXPORT int timerfd_gettime(int fd, struct itimerspec *value) {
    if (rv_passive()) return RV_REAL(timerfd_gettime)(fd, value);
    rv_timerfds_check();
    const struct timer *timer = find(fd);
    if (!timer) return (int)rv_fail_with(rv_sys_failed(rv_sys_fcntl(fd, F_GETFD, 0)) ? EBADF : EINVAL);
    *value = left_of(timer);
    return 0;
}
