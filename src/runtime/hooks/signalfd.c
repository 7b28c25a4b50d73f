/* Signal descriptors over virtual signals.
 *
 * Behind each stands an eventfd that we make ready while a signal of its set is pending for whoever asks. Pending
 * signals belong to a thread or to the process, so what is ready depends on the asker: rv_signalfds_check brings
 * all of them up to date for one fiber, right before the kernel is asked.
 */
#include <fcntl.h>
#include <sys/signalfd.h>

#include "runtime/hooks/io.h"

enum { DESCRIPTORS = 64 };

struct listener {
    int name; /* as rv_fd_object names it */
    int fd;
    uint64_t set;
    bool shown; /* the eventfd is ready */
};

static struct {
    struct listener listeners[DESCRIPTORS];
    unsigned count;
} state, saved;
bool rv_signalfds_exist;

static struct listener *find(int fd) {
    int name = (int)(intptr_t)rv_fd_object(fd);
    for (unsigned i = 0; rv_fd_kind_of(fd) == RV_FD_SIGNAL && i < state.count; i++) {
        if (state.listeners[i].name == name) return &state.listeners[i];
    }
    return NULL;
}

static void show(struct listener *listener, bool ready) {
    uint64_t value = 1;
    if (ready == listener->shown) return;
    listener->shown = ready;
    if (ready)
        (void)rv_sys_write(listener->fd, &value, sizeof value);
    else
        (void)rv_sys_read(listener->fd, &value, sizeof value);
}

void rv_signalfds_check(const struct rv_fiber *fiber) {
    for (unsigned i = 0; i < state.count; i++) {
        show(&state.listeners[i], rv_signal_available(fiber, state.listeners[i].set));
    }
}

void rv_signalfd_forget(int fd) {
    struct listener *listener = find(fd);
    if (listener && listener->fd == fd) *listener = state.listeners[--state.count];
    rv_signalfds_exist = state.count > 0;
}

void rv_signalfds_snapshot(void) {
    for (unsigned i = 0; i < state.count; i++) show(&state.listeners[i], false);
    saved = state;
}

void rv_signalfds_restore(void) {
    if (!state.count && !saved.count) return;
    for (unsigned i = 0; i < saved.count; i++) {
        for (unsigned k = 0; k < state.count; k++) {
            if (state.listeners[k].fd == saved.listeners[i].fd) show(&state.listeners[k], false);
        }
    }
    state = saved;
    rv_signalfds_exist = state.count > 0;
}

/* ---- the calls ---- */

RV_EXPORT int signalfd(int fd, const sigset_t *mask, int flags) {
    if (rv_passive()) return RV_REAL(signalfd)(fd, mask, flags);
    uint64_t set = rv_signal_bits(mask) & ~(rv_signal_bit(SIGKILL) | rv_signal_bit(SIGSTOP));
    if (flags & ~(SFD_CLOEXEC | SFD_NONBLOCK)) return (int)rv_fail_with(EINVAL);
    if (fd != -1) {
        struct listener *listener = find(fd);
        if (!listener) return (int)rv_fail_with(rv_sys_failed(rv_sys_fcntl(fd, F_GETFD, 0)) ? EBADF : EINVAL);
        listener->set = set;
        return fd;
    }
    if (state.count == DESCRIPTORS) return (int)rv_fail_with(EMFILE);
    long made = rv_sys2(SYS_eventfd2, 0, flags);
    if (rv_sys_failed(made)) return (int)rv_result(made);
    rv_fd_opened((int)made, RV_FD_SIGNAL, true, -1);
    state.listeners[state.count++] = (struct listener){.name = (int)made, .fd = (int)made, .set = set};
    rv_signalfds_exist = true;
    return (int)made;
}

static void describe(const siginfo_t *info, struct signalfd_siginfo *to) {
    memset(to, 0, sizeof *to);
    to->ssi_signo = (uint32_t)info->si_signo;
    to->ssi_errno = info->si_errno;
    to->ssi_code = info->si_code;
    to->ssi_pid = (uint32_t)info->si_pid;
    to->ssi_uid = info->si_uid;
    if (info->si_signo == SIGCHLD) to->ssi_status = info->si_status;
    if (info->si_code == SI_QUEUE || info->si_code == SI_TIMER) {
        to->ssi_int = info->si_value.sival_int;
        to->ssi_ptr = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
    }
}

long rv_signalfd_read(int fd, void *to, size_t size, uintptr_t site) {
    if (size < sizeof(struct signalfd_siginfo)) return rv_fail_with(EINVAL);
    for (;;) {
        struct rv_io io;
        int error = rv_io_begin_blocking(&io, RV_OP_FD_READ, fd, POLLIN, site);
        if (error) return rv_io_end(&io, -error);
        struct listener *listener = find(fd);
        if (!listener) return rv_io_end(&io, -EBADF);
        struct signalfd_siginfo *next = to;
        size_t room = size / sizeof *next, taken = 0;
        siginfo_t info;
        while (taken < room && rv_signal_take(rv.current, listener->set, &info))
            describe(&info, &next[taken++]);
        rv_io_changed();
        if (taken) return rv_io_end(&io, (long)(taken * sizeof *next));
        if (!rv_io_may_block(fd)) return rv_io_end(&io, -EAGAIN);
        (void)rv_io_end(&io, 0);
    }
}
