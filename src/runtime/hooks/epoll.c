/* epoll.
 *
 * The kernel's own instance does the work; we remember its registrations, since they must come back: a restored
 * instance is a new one with the registrations of the snapshot. That is needed when the execution changed them, when
 * it consumed edges or one-shots, and when a registered file was made anew (saved.c).
 */
#include <fcntl.h>
#include <sys/epoll.h>

#include "runtime/hooks/io.h"
#include "runtime/reserve.h"
#include "runtime/native.h"

enum { MAX_REGISTRATIONS = 1 << 16 };

struct registration {
    int instance; /* as rv_fd_object names it, so that duplicates agree */
    int fd;
    struct epoll_event event;
};

static struct registration *registrations, *kept; /* now, and at the snapshot */
static unsigned count, kept_count;
static bool dirty;

static int name_of(int instance) { return (int)(intptr_t)rv_fd_object(instance); }

static struct registration *reserve(void) {
    struct registration *memory = rv_reserve(MAX_REGISTRATIONS * sizeof *memory);
    RV_INVARIANT(memory);
    return memory;
}

static struct registration *find(int instance, int fd) {
    for (unsigned i = 0; i < count; i++) {
        if (registrations[i].instance == instance && registrations[i].fd == fd) return &registrations[i];
    }
    return NULL;
}

static void remember(int instance, int operation, int fd, const struct epoll_event *event) {
    if (!registrations) registrations = reserve();
    dirty = true;
    struct registration *found = find(instance, fd);
    if (operation == EPOLL_CTL_DEL) {
        if (found) *found = registrations[--count];
    } else if (found) {
        found->event = *event;
    } else if (count < MAX_REGISTRATIONS) {
        registrations[count++] = (struct registration){instance, fd, *event};
    }
}

void rv_epoll_forget(int fd) {
    for (unsigned i = 0; i < count;) {
        if (registrations[i].fd != fd && registrations[i].instance != fd) {
            i++;
            continue;
        }
        registrations[i] = registrations[--count];
        dirty = true;
    }
}

/* A descriptor that stands for the instance; -1: the program has closed it. */
static int descriptor_of(int instance) {
    const struct rv_descriptor *descriptor = rv_descriptor(instance);
    return descriptor && descriptor->known && descriptor->kind == RV_FD_EPOLL ? instance : -1;
}

void rv_epoll_unregister(int fd) {
    for (unsigned i = 0; i < count; i++) {
        if (registrations[i].fd != fd) continue;
        int instance = descriptor_of(registrations[i].instance);
        if (instance >= 0) (void)rv_sys4(SYS_epoll_ctl, instance, EPOLL_CTL_DEL, fd, 0);
    }
}

void rv_epoll_remade(int fd) {
    for (unsigned i = 0; i < kept_count; i++) {
        if (kept[i].fd == fd || kept[i].instance == fd) dirty = true;
    }
}

void rv_epoll_snapshot(void) {
    if (!registrations) return;
    if (!kept) kept = reserve();
    kept_count = count;
    memcpy(kept, registrations, count * sizeof *kept);
    dirty = false;
}

/* A new instance with the registrations of the snapshot, in the old one's place. */
static void rebuild(int instance) {
    long fresh = rv_sys1(SYS_epoll_create1, EPOLL_CLOEXEC);
    if (rv_sys_failed(fresh)) return;
    for (unsigned i = 0; i < kept_count; i++) {
        if (kept[i].instance != instance) continue;
        (void)rv_sys4(SYS_epoll_ctl, fresh, EPOLL_CTL_ADD, kept[i].fd, (long)&kept[i].event);
    }
    long flags = rv_sys_fcntl(instance, F_GETFD, 0);
    (void)rv_sys_dup3((int)fresh, instance, flags & FD_CLOEXEC ? O_CLOEXEC : 0);
    (void)rv_sys_close((int)fresh);
}

static void rebuild_saved(int fd, void *unused) {
    (void)unused;
    const struct rv_descriptor *descriptor = rv_descriptor(fd);
    if (descriptor->kind == RV_FD_EPOLL && descriptor->channel == fd) rebuild(fd);
}

/* After the descriptors themselves are back. */
void rv_epoll_restore(void) {
    if (!dirty) return;
    rv_saved_each(rebuild_saved, NULL);
    count = kept_count;
    memcpy(registrations, kept, count * sizeof *kept);
    dirty = false;
}

void rv_epoll_forked(void) {
    if (!kept_count) return;
    dirty = true;
    rv_epoll_restore();
}

/* ---- the calls ---- */

static int make(long fd) {
    if (!rv_sys_failed(fd)) rv_fd_opened((int)fd, RV_FD_EPOLL, true, -1);
    return (int)rv_result(fd);
}

RV_EXPORT int epoll_create(int size) {
    if (rv_passive()) return RV_REAL(epoll_create)(size);
    return make(rv_sys1(SYS_epoll_create, size));
}

RV_EXPORT int epoll_create1(int flags) {
    if (rv_passive()) return RV_REAL(epoll_create1)(flags);
    return make(rv_sys1(SYS_epoll_create1, flags));
}

RV_EXPORT int epoll_ctl(int instance, int operation, int fd, struct epoll_event *event) {
    if (rv_passive()) return RV_REAL(epoll_ctl)(instance, operation, fd, event);
    struct rv_io io;
    if (event) rv_io_buffer(event, sizeof *event, false, RV_SITE());
    (void)rv_io_begin(&io, RV_OP_FD_WRITE, instance, 0, RV_SITE());
    if (rv_fd_hidden(fd)) return (int)rv_io_end(&io, -EBADF);
    long result = rv_sys4(SYS_epoll_ctl, instance, operation, fd, (long)event);
    if (!rv_sys_failed(result)) {
        remember(name_of(instance), operation, fd, event);
        struct rv_descriptor *descriptor = rv_descriptor(instance);
        if (operation == EPOLL_CTL_ADD && !rv_fd_internal(fd)) descriptor->internal = false;
        rv_io_changed();
    }
    return (int)rv_io_end(&io, result);
}

/* Edges and one-shots are used up by being reported. */
static bool uses_up(int instance) {
    for (unsigned i = 0; i < count; i++) {
        if (registrations[i].instance == instance &&
            (registrations[i].event.events & (EPOLLET | EPOLLONESHOT))) {
            return true;
        }
    }
    return false;
}

static long wait_once(int instance, struct epoll_event *events, int room, int64_t deadline, int64_t length,
                      bool *over, uintptr_t site) {
    struct rv_io io;
    bool waits = deadline > rv.now;
    int error = rv_io_begin_until(&io, RV_OP_FD_POLL, instance, waits ? POLLIN : 0, deadline, length, site);
    rv_timerfds_check();
    if (rv_signalfds_exist) rv_signalfds_check(rv.current);
    long result = rv_sys6(SYS_epoll_pwait, io.target, (long)events, room, 0, 0, 8);
    if (result > 0 && uses_up(name_of(instance))) {
        dirty = true;
        rv_io_changed();
    }
    if (result == 0 && error == EINTR) result = -EINTR;
    *over = result != 0 || !waits || error == ETIMEDOUT; /* else another thread took the event first */
    return rv_io_end(&io, result);
}

static int wait_events(int instance, struct epoll_event *events, int room, int64_t length,
                       const sigset_t *mask, uintptr_t site) {
    if (room > 0) (void)rv_io_buffer(events, (size_t)room * sizeof *events, true, site);
    uint64_t before = mask ? rv_signal_mask(rv.current) : 0;
    if (mask) rv_signal_set_mask(rv.current, rv_signal_bits(mask));
    int64_t deadline = length < 0 || length > RV_FOREVER - rv.now ? RV_FOREVER : rv.now + length;
    bool over = false;
    long result = 0;
    while (!over) result = wait_once(instance, events, room, deadline, length, &over, site);
    if (mask) {
        int error = errno;
        rv_signal_set_mask(rv.current, before);
        if (rv_signals_wanted(rv.current)) (void)rv_signals_run();
        errno = error;
    }
    return (int)result;
}

RV_EXPORT int epoll_wait(int instance, struct epoll_event *events, int room, int milliseconds) {
    if (rv_passive())
        return RV_BLOCKING_IF(
            RV_REAL(epoll_wait)(instance, events, room, 0), 0,
            RV_REAL(epoll_wait)(instance, events, room, rv_native_milliseconds(milliseconds)));
    int64_t length = milliseconds < 0 ? -1 : (int64_t)milliseconds * 1000000;
    return wait_events(instance, events, room, length, NULL, RV_SITE());
}

RV_EXPORT int epoll_pwait(int instance, struct epoll_event *events, int room, int milliseconds,
                          const sigset_t *mask) {
    if (rv_passive()) return RV_REAL(epoll_pwait)(instance, events, room, milliseconds, mask);
    int64_t length = milliseconds < 0 ? -1 : (int64_t)milliseconds * 1000000;
    return wait_events(instance, events, room, length, mask, RV_SITE());
}

RV_EXPORT int epoll_pwait2(int instance, struct epoll_event *events, int room, const struct timespec *timeout,
                           const sigset_t *mask) {
    if (rv_passive()) return RV_REAL(epoll_pwait2)(instance, events, room, timeout, mask);
    int64_t length = timeout ? rv_timespec_ns(timeout) : -1;
    if (timeout && length < 0) return (int)rv_fail_with(EINVAL);
    return wait_events(instance, events, room, length, mask, RV_SITE());
}
