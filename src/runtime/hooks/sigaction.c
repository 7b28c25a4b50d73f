/* The calls that change what signals do: dispositions, masks, alternate stacks. The state is in signal.c.
 *
 * Handlers run on the thread's own stack, by a call from a scheduling point, so an alternate stack is only
 * remembered: the kernel's belongs to the core's crash handlers, on which a fault handler of the program runs.
 */
#include "runtime/hooks/outside.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* deprecated calls are intercepted, too */

static int fail_with(int error) {
    errno = error;
    return -1;
}

/* In the thread's own TLS block, which is restored with the rest of its memory. */
static __thread stack_t alternate __attribute__((tls_model("initial-exec"))) = {.ss_flags = SS_DISABLE};

/* Whether a signal comes before or after the change makes a difference. */
static void point(uintptr_t site) {
    if (rv.mode != RV_CONTROLLED) return;
    struct rv_pending pending = RV_PENDING(RV_OP_SIGACTION, rv_signal_object, site);
    (void)rv_schedule(&pending);
    rv_done(&pending, 0, 0);
}

/* ---- dispositions ---- */

static int change_action(int number, const struct sigaction *action, struct sigaction *old, uintptr_t site) {
    /* 32 and 33 are glibc's own. */
    if (!rv_signal_valid(number) || number == 32 || number == 33) return fail_with(EINVAL);
    if (action && (number == SIGKILL || number == SIGSTOP)) return fail_with(EINVAL);
    if (action) point(site);
    struct sigaction before = *rv_signal_action(number);
    if (action) rv_signal_set_action(number, action);
    if (old) *old = before;
    return 0;
}

RV_EXPORT int sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict old) {
    if (rv_passive()) return RV_REAL(sigaction)(number, action, old);
    return change_action(number, action, old, RV_SITE());
}

static sighandler_t set_handler(int number, sighandler_t handler, int flags, uintptr_t site) {
    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    struct sigaction action = {.sa_flags = flags}, before;
    action.sa_handler = handler;
    if (!(flags & SA_NODEFER) && rv_signal_valid(number))
        rv_signal_set(rv_signal_bit(number), &action.sa_mask); /* as glibc does */
    if (change_action(number, &action, &before, site)) return SIG_ERR;
    return before.sa_handler;
}

static int restart_flag(int number) {
    /* siginterrupt(n, 1) also counts for later calls of signal(). The flag says so, if an action has been set. */
    if (!rv_signal_valid(number)) return SA_RESTART;
    const struct sigaction *now = rv_signal_action(number);
    bool set = now->sa_handler != SIG_DFL && now->sa_handler != SIG_IGN;
    return set ? now->sa_flags & SA_RESTART : SA_RESTART;
}

RV_EXPORT sighandler_t signal(int number, sighandler_t handler) {
    if (rv_passive()) return RV_REAL(signal)(number, handler);
    return set_handler(number, handler, restart_flag(number), RV_SITE());
}

sighandler_t bsd_signal(int number, sighandler_t handler);
RV_EXPORT sighandler_t bsd_signal(int number, sighandler_t handler) {
    if (rv_passive()) return RV_REAL(signal)(number, handler);
    return set_handler(number, handler, SA_RESTART, RV_SITE());
}

RV_EXPORT sighandler_t ssignal(int number, sighandler_t handler) {
    if (rv_passive()) return RV_REAL(signal)(number, handler);
    return set_handler(number, handler, SA_RESTART, RV_SITE());
}

RV_EXPORT sighandler_t sysv_signal(int number, sighandler_t handler) {
    if (rv_passive()) return RV_REAL(sysv_signal)(number, handler);
    return set_handler(number, handler, (int)(SA_RESETHAND | SA_NODEFER), RV_SITE());
}
RV_EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler) {
    return sysv_signal(number, handler);
}

RV_EXPORT int siginterrupt(int number, int interrupt) {
    if (rv_passive()) return RV_REAL(siginterrupt)(number, interrupt);
    if (!rv_signal_valid(number)) return fail_with(EINVAL);
    struct sigaction action = *rv_signal_action(number);
    if (interrupt)
        action.sa_flags &= ~SA_RESTART;
    else
        action.sa_flags |= SA_RESTART;
    rv_signal_set_action(number, &action);
    return 0;
}

/* ---- masks ---- */

/* Unblocking delivers what was held before the call returns, as POSIX asks for at least one. */
static void apply_mask(uint64_t mask) {
    struct rv_fiber *self = rv.current;
    rv_signal_set_mask(self, mask);
    if (!rv_signals_wanted(self)) return;
    int error = errno;
    (void)rv_signals_run();
    errno = error;
}

static int change_mask(int how, const sigset_t *set, sigset_t *old, uintptr_t site) {
    if (set) point(site);
    uint64_t mask = rv_signal_mask(rv.current);
    if (set) {
        uint64_t bits = rv_signal_bits(set), before = mask;
        if (how == SIG_BLOCK)
            mask |= bits;
        else if (how == SIG_UNBLOCK)
            mask &= ~bits;
        else if (how == SIG_SETMASK)
            mask = bits;
        else
            return EINVAL;
        if (old) rv_signal_set(before, old);
        apply_mask(mask);
    } else if (old) {
        rv_signal_set(mask, old);
    }
    return 0;
}

RV_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
    if (rv_passive() || !rv.current) return RV_REAL(pthread_sigmask)(how, set, old);
    return change_mask(how, set, old, RV_SITE());
}

RV_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
    if (rv_passive() || !rv.current) return RV_REAL(sigprocmask)(how, set, old);
    int result = change_mask(how, set, old, RV_SITE());
    return result ? fail_with(result) : 0;
}

RV_EXPORT int sigpending(sigset_t *set) {
    if (rv_passive() || !rv.current) return RV_REAL(sigpending)(set);
    uint64_t bits = 0;
    for (int number = 1; number <= 64; number++)
        if (rv_signal_available(rv.current, rv_signal_bit(number))) bits |= rv_signal_bit(number);
    rv_signal_set(bits & rv_signal_mask(rv.current), set);
    return 0;
}

RV_EXPORT int sigaltstack(const stack_t *restrict stack, stack_t *restrict old) {
    if (rv_passive() || !rv.current) return RV_REAL(sigaltstack)(stack, old);
    stack_t before = alternate;
    if (stack) {
        const int known = (int)(SS_DISABLE | SS_ONSTACK | (1u << 31)); /* SS_AUTODISARM */
        if (stack->ss_flags & ~known) return fail_with(EINVAL);
        if (!(stack->ss_flags & SS_DISABLE) && stack->ss_size < 2048) return fail_with(ENOMEM);
        alternate = *stack;
        alternate.ss_flags &= SS_DISABLE;
    }
    if (old) *old = before;
    return 0;
}

uintptr_t rv_signal_alternate_stack(void) {
    return alternate.ss_flags & SS_DISABLE ? 0 : (uintptr_t)alternate.ss_sp + alternate.ss_size;
}

/* ---- System V and BSD, by the above ---- */

RV_EXPORT int sighold(int number) {
    if (rv_passive() || !rv.current) return RV_REAL(sighold)(number);
    if (!rv_signal_valid(number)) return fail_with(EINVAL);
    apply_mask(rv_signal_mask(rv.current) | rv_signal_bit(number));
    return 0;
}

RV_EXPORT int sigrelse(int number) {
    if (rv_passive() || !rv.current) return RV_REAL(sigrelse)(number);
    if (!rv_signal_valid(number)) return fail_with(EINVAL);
    apply_mask(rv_signal_mask(rv.current) & ~rv_signal_bit(number));
    return 0;
}

RV_EXPORT int sigignore(int number) {
    if (rv_passive()) return RV_REAL(sigignore)(number);
    return set_handler(number, SIG_IGN, 0, RV_SITE()) == SIG_ERR ? -1 : 0;
}

RV_EXPORT sighandler_t sigset(int number, sighandler_t handler) {
    if (rv_passive() || !rv.current) return RV_REAL(sigset)(number, handler);
    if (!rv_signal_valid(number)) {
        errno = EINVAL;
        return SIG_ERR;
    }
    uint64_t mask = rv_signal_mask(rv.current), bit = rv_signal_bit(number);
    sighandler_t before = rv_signal_action(number)->sa_handler;
    if (handler != SIG_HOLD && set_handler(number, handler, 0, RV_SITE()) == SIG_ERR) return SIG_ERR;
    apply_mask(handler == SIG_HOLD ? mask | bit : mask & ~bit);
    return mask & bit ? SIG_HOLD : before;
}

static int old_style_mask(uint64_t low_bits) {
    uint64_t mask = rv_signal_mask(rv.current);
    uint64_t low = UINT64_C(0x1fffffffe); /* signals 1 to 32, as an int has them in bits 0 to 31 */
    apply_mask((mask & ~low) | (low_bits & low));
    return (int)(mask >> 1);
}

RV_EXPORT int sigblock(int mask) {
    if (rv_passive() || !rv.current) return RV_REAL(sigblock)(mask);
    return old_style_mask((uint64_t)(uint32_t)mask << 1 | rv_signal_mask(rv.current));
}

RV_EXPORT int sigsetmask(int mask) {
    if (rv_passive() || !rv.current) return RV_REAL(sigsetmask)(mask);
    return old_style_mask((uint64_t)(uint32_t)mask << 1);
}

RV_EXPORT int siggetmask(void) {
    if (rv_passive() || !rv.current) return RV_REAL(siggetmask)();
    return (int)(rv_signal_mask(rv.current) >> 1);
}
