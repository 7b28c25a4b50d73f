/* The calls that wait for signals.
 *
 * sigwait and its kin take a pending signal instead of having its handler run. While a thread waits, the set is
 * part of its mask, as in the kernel, so that no handler of one of these runs; signal.c sends a process' signal
 * to such a thread, which it finds by its pending operation (op SIGWAIT, data the set).
 * pause and sigsuspend wait for a handler to have run: op SIGWAIT without a set.
 */
#include <unistd.h>

#include "runtime/hooks/outside.h"
#include "runtime/native.h"

static int fail_with(int error) {
    errno = error;
    return -1;
}

static void deliver_own(void) {
    if (!rv_signals_wanted(rv.current)) return;
    int error = errno;
    (void)rv_signals_run();
    errno = error;
}

static bool one_has_come(const struct rv_fiber *fiber) {
    return rv_signal_available(fiber, *(const uint64_t *)fiber->pending.data);
}

/* The signal taken; -EINTR or -EAGAIN. length < 0: no time limit. */
static int take_one(const sigset_t *signals, siginfo_t *info, int64_t length, uintptr_t site) {
    struct rv_fiber *self = rv.current;
    uint64_t set = rv_signal_bits(signals) & ~(rv_signal_bit(SIGKILL) | rv_signal_bit(SIGSTOP));
    uint64_t before = rv_signal_mask(self);
    struct rv_pending pending = RV_PENDING(RV_OP_SIGWAIT, rv_signal_object, site);
    pending.data = &set;
    pending.cancellable = pending.interruptible = true;
    pending.external = rv_children_alive() || rv.mode == RV_DETACHED;
    if (length != 0) pending.ready = one_has_come;
    if (length > 0) {
        pending.deadline = length < RV_FOREVER - rv.now ? rv.now + length : RV_FOREVER;
        pending.timeout = length;
    }
    rv_signal_set_mask(self, before | set);
    enum rv_wake wake = rv_schedule_timed(&pending);
    int number = rv_signal_take(self, set, info);
    self->pending.data = NULL; /* the set is about to go; nobody may look at it any more */
    rv_signal_set_mask(self, before);
    unsigned flags = number ? 0 : wake == RV_SIGNAL ? RV_EVENT_FAILED : RV_EVENT_FAILED | RV_EVENT_TIMEOUT;
    rv_done(&pending, (uint64_t)number, flags);
    deliver_own();
    if (number) return number;
    return wake == RV_SIGNAL ? -EINTR : -EAGAIN;
}

RV_EXPORT int sigwait(const sigset_t *restrict signals, int *restrict number) {
    if (rv_passive() || !rv.current) return RV_BLOCKING(RV_REAL(sigwait)(signals, number));
    siginfo_t info;
    int result;
    do result = take_one(signals, &info, -1, RV_SITE());
    while (result == -EINTR); /* glibc tries again, too */
    RV_INVARIANT(result > 0);
    *number = result;
    return 0;
}

RV_EXPORT int sigwaitinfo(const sigset_t *restrict signals, siginfo_t *restrict info) {
    if (rv_passive() || !rv.current) return RV_REAL(sigwaitinfo)(signals, info);
    siginfo_t own;
    int result = take_one(signals, &own, -1, RV_SITE());
    if (result < 0) return fail_with(-result);
    if (info) *info = own;
    return result;
}

RV_EXPORT int sigtimedwait(const sigset_t *restrict signals, siginfo_t *restrict info,
                           const struct timespec *restrict timeout) {
    if (rv_passive() || !rv.current) return RV_REAL(sigtimedwait)(signals, info, timeout);
    int64_t length = timeout ? rv_timespec_ns(timeout) : -1;
    if (timeout && length < 0) return fail_with(EINVAL);
    siginfo_t own;
    int result = take_one(signals, &own, length, RV_SITE());
    if (result < 0) return fail_with(-result);
    if (info) *info = own;
    return result;
}

/* Waits with this mask until a handler has run. Always -1 with EINTR. */
static int wait_for_handler(uint64_t mask, uintptr_t site) {
    struct rv_fiber *self = rv.current;
    uint64_t before = rv_signal_mask(self);
    struct rv_pending pending = RV_PENDING(RV_OP_SIGWAIT, rv_signal_object, site);
    pending.ready = rv_never;
    pending.cancellable = pending.interruptible = true;
    pending.external = rv_children_alive() || rv.mode == RV_DETACHED;
    rv_signal_set_mask(self, mask);
    while (rv_schedule_timed(&pending) != RV_SIGNAL) continue;
    rv_signal_set_mask(self, before);
    rv_done(&pending, 0, 0);
    deliver_own();
    return fail_with(EINTR);
}

RV_EXPORT int sigsuspend(const sigset_t *mask) {
    if (rv_passive() || !rv.current) return RV_REAL(sigsuspend)(mask);
    return wait_for_handler(rv_signal_bits(mask), RV_SITE());
}

RV_EXPORT int pause(void) {
    if (rv_passive() || !rv.current) return RV_BLOCKING(RV_REAL(pause)());
    return wait_for_handler(rv_signal_mask(rv.current), RV_SITE());
}

/* The X/Open one takes a signal to unblock, the BSD one a mask; glibc has one entry for both. */
int __sigpause(int signal_or_mask, int is_signal);
RV_EXPORT int __sigpause(int signal_or_mask, int is_signal) {
    if (rv_passive() || !rv.current) return RV_REAL(__sigpause)(signal_or_mask, is_signal);
    uint64_t mask = rv_signal_mask(rv.current);
    if (is_signal) {
        if (!rv_signal_valid(signal_or_mask)) return fail_with(EINVAL);
        mask &= ~rv_signal_bit(signal_or_mask);
    } else {
        mask = (mask & ~UINT64_C(0x1fffffffe)) | (uint64_t)(uint32_t)signal_or_mask << 1;
    }
    return wait_for_handler(mask, RV_SITE());
}
