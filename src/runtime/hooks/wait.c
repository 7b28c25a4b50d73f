/* Waiting for descriptors and children, as scheduling points.
 *
 * A fiber that waits carries what it waits for (struct rv_io_wait, on its stack), and the scheduler asks fds_ready.
 * The answer for descriptors with both ends in this process can only change when a hook does something to one
 * (rv_io_changed), so it is kept until then: a blocked reader costs no system call per scheduling point. The
 * outside is asked every ASK_EVERY points, and when nobody else can run (rv_io_wait).
 *
 * The outside is taken to be fast: where a child process of the program may be about to write or to end, the
 * first question waits for it for a moment (GRACE_MS). Otherwise how far the child has got when the question comes
 * would decide, and no two executions would be alike.
 *
 * A call that waits for a descriptor holds the open file: when another thread closes the number, the call goes on to
 * wait for the old file, whatever the number means then. So closing pins: the waiter gets a copy of ours.
 */
#include <limits.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "runtime/hooks/io.h"

enum { ASK_EVERY = 64, GRACE_MS = 50, SLICE_MS = 10, MAX_PINS = 64, PEERS_SEEN = 1024 };
/* How long nothing may come from outside before it is taken that nothing will. */
enum { PATIENCE_CHILD_MS = 60000, PATIENCE_MS = 5000, PATIENCE_LOCAL_MS = 300 };

uint64_t rv_io_generation = 1;

static int pins[MAX_PINS];
static unsigned pin_count;
static unsigned disappointed; /* waits for the outside in which nothing came */

int rv_poll_now(struct pollfd *fds, unsigned count) {
    static const struct timespec none = {0, 0};
    long result = rv_sys6(SYS_ppoll, (long)fds, count, (long)&none, 0, 8, 0);
    return rv_sys_failed(result) ? -1 : (int)result;
}

static void rest(int ms) {
    struct timespec time = {.tv_nsec = (long)ms * 1000000};
    (void)rv_sys6(SYS_ppoll, 0, 0, (long)&time, 0, 8, 0);
}

/* ---- readiness ---- */

static bool ask(const struct rv_fiber *fiber, struct rv_io_wait *wait) {
    if (!wait->fds) {
        siginfo_t info = {.si_pid = 0};
        long result = rv_sys6(SYS_waitid, wait->id_type, wait->id, (long)&info,
                              wait->options | WNOHANG | WNOWAIT, 0, 0);
        return rv_sys_failed(result) || info.si_pid != 0;
    }
    rv_timerfds_check();
    if (rv_signalfds_exist) rv_signalfds_check(fiber);
    return rv_poll_now(wait->fds, wait->count) != 0;
}

static bool fds_ready(const struct rv_fiber *fiber) {
    struct rv_io_wait *wait = fiber->pending.data;
    rv_timerfds_check(); /* moves the generation if one expires */
    bool valid = wait->known && wait->generation == rv_io_generation && !rv_signalfds_exist;
    if (valid && wait->external && rv.points - wait->asked_at >= ASK_EVERY) valid = false;
    if (valid) return wait->ready;
    bool first = !wait->known;
    wait->ready = ask(fiber, wait);
    for (int ms = 0; first && wait->external && !wait->ready && ms < GRACE_MS && rv_children_alive(); ms++) {
        rest(1);
        wait->ready = ask(fiber, wait);
    }
    wait->known = true;
    wait->generation = rv_io_generation;
    wait->asked_at = rv.points;
    return wait->ready;
}

static bool is_wait(const struct rv_fiber *fiber) {
    return fiber && fiber->state == RV_FIBER_ALIVE && fiber->pending.ready == fds_ready;
}

/* ---- waiting ---- */

/* rv_schedule that is also woken by virtual timers, and by timer descriptors if the wait may be for one. */
static enum rv_wake schedule_timed(struct rv_pending *pending, bool timerfds) {
    int64_t deadline = pending->deadline;
    for (;;) {
        int64_t next = rv_timers_deadline();
        if (timerfds && rv_timerfd_due < next) next = rv_timerfd_due;
        pending->deadline = next < deadline ? next : deadline;
        enum rv_wake wake = rv_schedule(pending);
        rv_timers_check();
        rv_timerfds_check();
        if (wake != RV_TIMEOUT || next >= deadline) {
            pending->deadline = deadline;
            return wake;
        }
    }
}

enum rv_wake rv_schedule_timed(struct rv_pending *pending) { return schedule_timed(pending, false); }

static bool may_be_timer(const struct rv_io_wait *wait) {
    if (rv_timerfd_due == RV_FOREVER) return false;
    for (unsigned i = 0; wait->fds && i < wait->count; i++) {
        enum rv_fd_kind kind = rv_fd_kind_of(wait->fds[i].fd);
        if (kind == RV_FD_TIMER || kind == RV_FD_EPOLL) return true;
    }
    return false;
}

static enum rv_wake wait_for(struct rv_io_wait *wait, struct rv_pending *pending) {
    pending->ready = fds_ready;
    pending->data = wait;
    pending->cancellable = pending->interruptible = true;
    pending->external = wait->external;
    enum rv_wake wake = schedule_timed(pending, may_be_timer(wait));
    pending->data = NULL;
    return wake;
}

int rv_io_begin_until(struct rv_io *io, enum rv_op op, int fd, short events, int64_t deadline, int64_t length,
                      uintptr_t site) {
    io->fd = io->target = fd;
    io->pending = RV_PENDING(op, rv_fd_object(fd), site);
    io->pending.cancellable = true;
    enum rv_wake wake;
    if (events) {
        struct rv_io_wait wait = {
            .count = 1, .one = {.fd = fd, .events = events}, .external = !rv_fd_internal(fd)};
        wait.fds = &wait.one;
        io->pending.deadline = deadline;
        io->pending.timeout = length;
        wake = wait_for(&wait, &io->pending);
        io->target = wait.one.fd;
    } else {
        wake = rv_schedule(&io->pending);
    }
    if (wake == RV_GO) return 0;
    return wake == RV_SIGNAL ? EINTR : ETIMEDOUT;
}

int rv_io_begin(struct rv_io *io, enum rv_op op, int fd, short events, uintptr_t site) {
    return rv_io_begin_until(io, op, fd, events, RV_FOREVER, -1, site);
}

long rv_io_end(struct rv_io *io, long result) {
    rv_done(&io->pending, (uint64_t)result, rv_sys_failed(result) ? RV_EVENT_FAILED : 0);
    if (io->target != io->fd) rv_wait_unpin(io->target);
    return rv_result(result);
}

enum rv_wake rv_wait_fd(enum rv_op op, int fd, short events, uintptr_t site, struct rv_pending *pending) {
    struct rv_io io;
    int error = rv_io_begin(&io, op, fd, events, site);
    *pending = io.pending;
    return error ? RV_SIGNAL : RV_GO;
}

enum rv_wake rv_wait_set(struct pollfd *fds, unsigned count, int64_t deadline, int64_t timeout,
                         uintptr_t site, struct rv_pending *pending) {
    *pending = RV_PENDING(RV_OP_FD_POLL, count ? rv_fd_object(fds[0].fd) : (const void *)-1, site);
    pending->deadline = deadline;
    pending->timeout = timeout;
    struct rv_io_wait wait = {.fds = fds, .count = count};
    for (unsigned i = 0; i < count; i++) wait.external |= fds[i].fd >= 0 && !rv_fd_internal(fds[i].fd);
    if (deadline > rv.now) return wait_for(&wait, pending);
    pending->cancellable = true; /* it will not wait */
    pending->deadline = RV_FOREVER;
    return rv_schedule(pending);
}

enum rv_wake rv_wait_child(int id_type, unsigned id, int options, uintptr_t site,
                           struct rv_pending *pending) {
    *pending = RV_PENDING(RV_OP_CHILD_WAIT, NULL, site);
    struct rv_io_wait wait = {.id_type = id_type, .id = id, .options = options, .external = true};
    return wait_for(&wait, pending);
}

static bool has_changed(const struct rv_fiber *fiber) {
    return *(const uint64_t *)fiber->pending.data != rv_io_generation;
}

int rv_io_await_change(struct rv_io *io, enum rv_op op, int fd, uintptr_t site) {
    uint64_t seen = rv_io_generation;
    io->fd = io->target = fd;
    io->pending = RV_PENDING(op, fd < 0 ? NULL : rv_fd_object(fd), site);
    io->pending.ready = has_changed;
    io->pending.data = &seen;
    io->pending.cancellable = io->pending.interruptible = true;
    enum rv_wake wake = rv_schedule_timed(&io->pending);
    io->pending.data = NULL;
    return wake == RV_SIGNAL ? EINTR : 0;
}

/* ---- closing under a waiter ---- */

bool rv_wait_pin(int fd) {
    bool any = false;
    for (uint32_t i = 0; i < rv.fiber_count; i++) {
        const struct rv_fiber *fiber = rv.fibers[i];
        if (!is_wait(fiber) || fiber == rv.current) continue;
        struct rv_io_wait *wait = fiber->pending.data;
        for (unsigned k = 0; wait && wait->fds && k < wait->count; k++) {
            if (wait->fds[k].fd != fd || fds_ready(fiber) || pin_count == MAX_PINS) continue;
            int copy = rv_fd_copy_hidden(fd);
            if (copy < 0) continue;
            wait->fds[k].fd = pins[pin_count++] = copy;
            any = true;
        }
    }
    return any;
}

void rv_wait_unpin(int fd) {
    for (unsigned i = 0; i < pin_count; i++) {
        if (pins[i] != fd) continue;
        pins[i] = pins[--pin_count];
        rv_fd_close_hidden(fd);
        rv_io_changed();
        return;
    }
}

void rv_wait_restore(void) {
    while (pin_count) rv_fd_close_hidden(pins[--pin_count]);
}

/* ---- the outside ---- */

union address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    struct sockaddr_storage room;
};

static bool name_of(long call, int fd, union address *name, socklen_t *size) {
    *size = sizeof *name;
    memset(name, 0, sizeof *name);
    return !rv_sys_failed(rv_sys3(call, fd, (long)name, (long)size));
}

/* Whether the other end of a connected socket is in this process: by its credentials, or because one of our own sockets
 * has the name that the peer has. */
static bool peer_is_ours(int fd) {
    union address peer, own;
    socklen_t peer_size, own_size;
    if (!name_of(SYS_getpeername, fd, &peer, &peer_size)) return false;
    if (peer.any.sa_family == AF_UNIX) return rv_peer_is_self(fd);
    for (int other = 0; other < PEERS_SEEN; other++) {
        if (other == fd || !name_of(SYS_getsockname, other, &own, &own_size)) continue;
        if (own_size == peer_size && memcmp(&own, &peer, own_size) == 0) return true;
    }
    return false;
}

/* Whether only this process is likely to make it ready: it made both ends, it listens, or its peer is here. Another
 * process on this machine is outside, too: it may take its time. */
static bool is_local(int fd) {
    const struct rv_descriptor *descriptor = rv_descriptor(fd);
    if (descriptor && descriptor->known && descriptor->whole) return true;
    int listens = 0;
    socklen_t size = sizeof listens;
    long result = rv_sys6(SYS_getsockopt, fd, SOL_SOCKET, SO_ACCEPTCONN, (long)&listens, (long)&size, 0);
    return !rv_sys_failed(result) && (listens || peer_is_ours(fd));
}

/* How long to wait for those that wait for the outside; 0: nobody does. */
static int patience(void) {
    int most = 0;
    for (uint32_t i = 0; i < rv.fiber_count; i++) {
        const struct rv_fiber *fiber = rv.fibers[i];
        if (!is_wait(fiber)) continue;
        const struct rv_io_wait *wait = fiber->pending.data;
        if (!wait->external) continue;
        int ms = PATIENCE_LOCAL_MS;
        if (!wait->fds || rv_children_alive()) ms = PATIENCE_CHILD_MS;
        for (unsigned k = 0; wait->fds && ms < PATIENCE_MS && k < wait->count; k++) {
            if (!rv_fd_internal(wait->fds[k].fd) && !is_local(wait->fds[k].fd)) ms = PATIENCE_MS;
        }
        if (ms > most) most = ms;
    }
    if (rv.mode == RV_DETACHED && most)
        return INT_MAX; /* nobody steers it: it waits as it would without us */
    if (most == PATIENCE_CHILD_MS) return most;
    return disappointed && most ? most / 10 : most; /* it would not come last time either */
}

static bool anybody_ready(void) {
    bool any = false;
    for (uint32_t i = 0; i < rv.fiber_count; i++) {
        const struct rv_fiber *fiber = rv.fibers[i];
        if (!is_wait(fiber)) continue;
        struct rv_io_wait *wait = fiber->pending.data;
        if (!wait->external) continue;
        wait->ready = ask(fiber, wait);
        wait->known = true;
        wait->generation = rv_io_generation;
        wait->asked_at = rv.points;
        any |= wait->ready;
    }
    return any;
}

bool rv_io_wait(void) {
    int most = patience();
    for (int ms = 0, slice; ms < most; ms += most < INT_MAX ? slice : 0) {
        slice = ms < 2 * SLICE_MS ? 1 : SLICE_MS;
        if (anybody_ready() || rv_signals_collect()) {
            disappointed = 0;
            return true;
        }
        if (rv.area) rv.area->control.heartbeat++; /* alive: it is others that are slow */
        rest(slice);
    }
    if (most && !disappointed++) {
        rv_note("every thread waits and nothing came from outside for %d ms: taken as a deadlock", most);
    }
    return false;
}
