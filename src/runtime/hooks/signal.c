/* Signals: dispositions, masks and delivery, all virtual.
 *
 * The program's actions live in our table and its masks in the fibers; the kernel sees neither. A signal that
 * the program sends itself becomes a bit in a fiber (or in the process' set while every fiber blocks it), and
 * its handler runs at the fiber's next scheduling point: asynchronous signals thereby become part of the
 * schedule. What the kernel must know:
 *
 *   a handler for a signal that can come from outside   a real handler of ours, which only marks it
 *   SIG_IGN and SIG_DFL                                 passed on, so that children inherit them
 *   SIGPIPE                                             a real handler that does nothing; the write hooks
 *                                                       send the virtual signal on EPIPE
 *   SEGV, BUS, FPE, ILL, TRAP, SYS, ABRT                core's crash handlers stay; rv_signal_program_handler
 *
 * Masks and longjmp: a handler left by siglongjmp never comes back to restore the mask. Each running handler
 * has a frame with its stack address; when a later call is found above it on the stack, the frame is stale
 * and the mask it saved is put back.
 */
#include <stdatomic.h>

#include "runtime/hooks/outside.h"

enum { SIGNALS = 65, QUEUE = 128, FRAMES = 64 };

struct queued {
    uint32_t fiber; /* RV_NO_THREAD: the process */
    int number;
    siginfo_t info;
};

/* A handler that runs. */
struct handler_frame {
    uint32_t fiber;
    uintptr_t sp;
    uint64_t mask; /* to put back */
};

static struct signal_state {
    bool known; /* inherited dispositions have been read */
    bool pipe_caught;
    struct sigaction actions[SIGNALS];
    uint64_t process_pending;
    siginfo_t process_info[SIGNALS];
    struct queued queue[QUEUE]; /* further instances of real-time signals, in order */
    unsigned queued;
    struct handler_frame frames[FRAMES];
    unsigned frame_count;
    uint64_t caught; /* signals for which the kernel has our handler */
} state, saved;
static bool dirty; /* state differs from saved */

static _Atomic uint64_t outside; /* signals that the kernel delivered and nobody has looked at */
static siginfo_t outside_info[SIGNALS];

static bool is_fault(int number) {
    switch (number) {
    case SIGSEGV: case SIGBUS: case SIGFPE: case SIGILL: case SIGTRAP: case SIGSYS: case SIGABRT: return true;
    default: return false;
    }
}

static bool ignored_by_default(int number) {
    return number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT;
}

static bool stops(int number) {
    return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

static bool valid(int number) { return number > 0 && number < SIGNALS; }

/* ---- the kernel's side ---- */

static void on_kernel_signal(int number, siginfo_t *info, void *context) {
    (void)context;
    if (number == SIGPIPE) return; /* the write hook sees EPIPE */
    outside_info[number] = *info;
    atomic_fetch_or(&outside, rv_signal_bit(number));
    /* Bit 0 makes the next scheduling point look here. */
    if (rv.current) __atomic_fetch_or(&rv.current->signals_pending, 1, __ATOMIC_RELAXED);
}

static void catch_in_kernel(int number, const struct sigaction *action) {
    if (is_fault(number) || number == SIGKILL || number == SIGSTOP) return;
    struct sigaction real = {.sa_flags = SA_SIGINFO | SA_RESTART};
    if (action->sa_handler == SIG_IGN || (action->sa_handler == SIG_DFL && number != SIGPIPE)) {
        if (!(state.caught & rv_signal_bit(number)) && action->sa_handler == SIG_DFL) return;
        real.sa_handler = action->sa_handler;
        real.sa_flags = action->sa_flags & SA_NOCLDWAIT;
        state.caught &= ~rv_signal_bit(number);
    } else {
        real.sa_sigaction = on_kernel_signal;
        real.sa_flags |= action->sa_flags & (SA_NOCLDSTOP | SA_NOCLDWAIT);
        state.caught |= rv_signal_bit(number);
    }
    RV_REAL(sigaction)(number, &real, NULL);
}

static void learn(void) {
    if (state.known) return;
    state.known = true;
    for (int number = 1; number < SIGNALS; number++) {
        struct sigaction inherited;
        if (RV_REAL(sigaction)(number, NULL, &inherited) == 0 && inherited.sa_handler == SIG_IGN) {
            state.actions[number].sa_handler = SIG_IGN;
        }
    }
    if (state.actions[SIGPIPE].sa_handler == SIG_DFL) catch_in_kernel(SIGPIPE, &state.actions[SIGPIPE]);
}

bool rv_signals_collect(void) {
    uint64_t came = atomic_exchange(&outside, 0);
    for (int number = 1; came && number < SIGNALS; number++) {
        if (came & rv_signal_bit(number)) rv_signal_send(NULL, number, &outside_info[number]);
    }
    return came != 0;
}

/* ---- masks ---- */

static uint64_t to_bits(const sigset_t *set) {
    uint64_t word; /* bit n-1: signal n */
    memcpy(&word, set, sizeof word);
    return word << 1 | (word >> 63); /* signal 64 shares bit 0 with "look outside"; rv_signal_bit agrees */
}

static void from_bits(uint64_t bits, sigset_t *set) {
    uint64_t word = bits >> 1 | (bits << 63);
    memset(set, 0, sizeof *set);
    memcpy(set, &word, sizeof word);
}

static void drop_stale_frames(struct rv_fiber *fiber) {
    if (fiber != rv.current) return;
    uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
    bool found = false;
    uint64_t mask = 0;
    unsigned kept = 0;
    for (unsigned i = 0; i < state.frame_count; i++) {
        struct handler_frame *frame = &state.frames[i];
        if (frame->fiber == fiber->id && frame->sp < sp) {
            if (!found) mask = frame->mask; /* the outermost one left */
            found = true;
            continue;
        }
        state.frames[kept++] = *frame;
    }
    state.frame_count = kept;
    if (found) from_bits(mask, &fiber->signal_mask);
}

uint64_t rv_signal_mask(struct rv_fiber *fiber) {
    if (state.frame_count) drop_stale_frames(fiber);
    return to_bits(&fiber->signal_mask);
}

void rv_signal_set_mask(struct rv_fiber *fiber, uint64_t mask) {
    mask &= ~(rv_signal_bit(SIGKILL) | rv_signal_bit(SIGSTOP));
    from_bits(mask, &fiber->signal_mask);
    /* What waited for the process may now go to this fiber. */
    if (state.process_pending & ~mask) {
        __atomic_fetch_or(&fiber->signals_pending, 1, __ATOMIC_RELAXED);
    }
}

/* ---- sending ---- */

static bool discarded(int number) {
    void (*handler)(int) = state.actions[number].sa_handler;
    if (handler == SIG_IGN) return true;
    return handler == SIG_DFL && ignored_by_default(number);
}

static bool waits_for(const struct rv_fiber *fiber, int number) {
    return fiber->pending.op == RV_OP_SIGWAIT && fiber->pending.data &&
           (*(const uint64_t *)fiber->pending.data & rv_signal_bit(number));
}

static struct rv_fiber *receiver(int number) {
    struct rv_fiber *first = NULL;
    uint32_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        uint32_t wanted = pass ? rv_choose(count) : 0;
        uint32_t seen = 0;
        for (uint32_t i = 0; i < rv.fiber_count; i++) {
            struct rv_fiber *fiber = rv.fibers[i];
            if (!fiber || fiber->state != RV_FIBER_ALIVE) continue;
            if ((to_bits(&fiber->signal_mask) & rv_signal_bit(number)) && !waits_for(fiber, number)) continue;
            if (!first) first = fiber;
            if (pass && seen == wanted) return fiber;
            seen++;
        }
        count = seen;
        if (count < 2) return first;
    }
    return first;
}

static void enqueue(uint32_t fiber, int number, const siginfo_t *info) {
    if (number < SIGRTMIN || state.queued == QUEUE) return; /* ordinary signals do not queue */
    state.queue[state.queued++] = (struct queued){.fiber = fiber, .number = number, .info = *info};
}

void rv_signal_send(struct rv_fiber *fiber, int number, const siginfo_t *info) {
    learn();
    dirty = true;
    siginfo_t made = {.si_signo = number, .si_code = SI_USER};
    made.si_pid = rv_sys_getpid();
    if (!info) info = &made;
    bool directed = fiber != NULL;
    if (!fiber) fiber = receiver(number);
    if (!fiber) {
        if (state.process_pending & rv_signal_bit(number)) enqueue(RV_NO_THREAD, number, info);
        else state.process_info[number] = *info;
        state.process_pending |= rv_signal_bit(number);
        return;
    }
    bool blocked = to_bits(&fiber->signal_mask) & rv_signal_bit(number);
    if (discarded(number) && !blocked && !(directed && waits_for(fiber, number))) return;
    uint64_t bit = number == 64 ? 0 : rv_signal_bit(number);
    if (fiber->signals_pending & bit) enqueue(fiber->id, number, info);
    else fiber->signal_info[number] = *info;
    __atomic_fetch_or(&fiber->signals_pending, bit, __ATOMIC_RELAXED);
}

bool rv_signal_available(const struct rv_fiber *fiber, uint64_t set) {
    return ((fiber->signals_pending & ~(uint64_t)1) | state.process_pending) & set;
}

/* After taking one instance: the next queued one, if any, takes its place. */
static void refill(uint32_t fiber_id, int number, siginfo_t *info, uint64_t *pending) {
    for (unsigned i = 0; i < state.queued; i++) {
        struct queued *entry = &state.queue[i];
        if (entry->fiber != fiber_id || entry->number != number) continue;
        *info = entry->info;
        __atomic_fetch_or(pending, rv_signal_bit(number), __ATOMIC_RELAXED);
        state.queued--;
        memmove(entry, entry + 1, (state.queued - i) * sizeof *entry);
        return;
    }
}

int rv_signal_take(struct rv_fiber *fiber, uint64_t set, siginfo_t *info) {
    uint64_t own = fiber->signals_pending & ~(uint64_t)1 & set;
    uint64_t all = own | (state.process_pending & set & ~(uint64_t)1);
    if (!all) return 0;
    dirty = true;
    int number = __builtin_ctzll(all);
    uint64_t bit = rv_signal_bit(number);
    if (own & bit) {
        *info = fiber->signal_info[number];
        __atomic_fetch_and(&fiber->signals_pending, ~bit, __ATOMIC_RELAXED);
        refill(fiber->id, number, &fiber->signal_info[number], &fiber->signals_pending);
    } else {
        *info = state.process_info[number];
        state.process_pending &= ~bit;
        refill(RV_NO_THREAD, number, &state.process_info[number], &state.process_pending);
    }
    return number;
}

void rv_signal_pipe(void) {
    learn();
    if (state.actions[SIGPIPE].sa_handler == SIG_IGN) return;
    rv_signal_send(rv.current, SIGPIPE, NULL);
    (void)rv_signals_run();
}

/* ---- running ---- */

static const char *const names[] = {
    [SIGHUP] = "SIGHUP",   [SIGINT] = "SIGINT",   [SIGQUIT] = "SIGQUIT", [SIGILL] = "SIGILL",
    [SIGTRAP] = "SIGTRAP", [SIGABRT] = "SIGABRT", [SIGBUS] = "SIGBUS",   [SIGFPE] = "SIGFPE",
    [SIGKILL] = "SIGKILL", [SIGUSR1] = "SIGUSR1", [SIGSEGV] = "SIGSEGV", [SIGUSR2] = "SIGUSR2",
    [SIGPIPE] = "SIGPIPE", [SIGALRM] = "SIGALRM", [SIGTERM] = "SIGTERM", [SIGSTKFLT] = "SIGSTKFLT",
    [SIGXCPU] = "SIGXCPU", [SIGXFSZ] = "SIGXFSZ", [SIGVTALRM] = "SIGVTALRM", [SIGPROF] = "SIGPROF",
    [SIGIO] = "SIGIO",     [SIGPWR] = "SIGPWR",   [SIGSYS] = "SIGSYS",
};

static enum rv_kind kind_of(int number) {
    switch (number) {
    case SIGSEGV: return RV_KIND_SEGV;
    case SIGABRT: return RV_KIND_ABORT;
    case SIGFPE: return RV_KIND_FPE;
    case SIGBUS: return RV_KIND_BUS;
    case SIGILL: return RV_KIND_ILL;
    case SIGTRAP: return RV_KIND_TRAP;
    case SIGSYS: return RV_KIND_SYS;
    default: return RV_KIND_SIGNAL;
    }
}

_Noreturn void rv_signal_die(int number) {
    if (rv.mode == RV_DETACHED) {
        struct sigaction real = {.sa_handler = SIG_DFL};
        RV_REAL(sigaction)(number, &real, NULL);
        (void)rv_sys_kill(rv_sys_getpid(), number);
        rv_sys_exit_group(128 + number);
    }
    const char *name = (size_t)number < sizeof names / sizeof names[0] ? names[number] : NULL;
    if (name) rv_fail(kind_of(number), "killed by %s", name);
    rv_fail(kind_of(number), "killed by real-time signal %d", number);
}

static void call_handler(const struct sigaction *action, int number, siginfo_t *info, void *context) {
    if (action->sa_flags & SA_SIGINFO) action->sa_sigaction(number, info, context);
    else action->sa_handler(number);
}

static void run_handler(struct rv_fiber *self, int number, siginfo_t *info) {
    struct sigaction action = state.actions[number];
    if (action.sa_flags & (int)SA_RESETHAND) state.actions[number].sa_handler = SIG_DFL;
    uint64_t before = to_bits(&self->signal_mask);
    uint64_t during = before | to_bits(&action.sa_mask);
    if (!(action.sa_flags & SA_NODEFER)) during |= rv_signal_bit(number);
    struct rv_pending pending = RV_PENDING(RV_OP_HANDLER, NULL, (uintptr_t)action.sa_handler);
    rv_done(&pending, (uint64_t)number, 0);
    struct rv_pending interrupted = self->pending; /* the handler may block, too */
    int error = errno;
    if (state.frame_count < FRAMES) {
        state.frames[state.frame_count++] = (struct handler_frame){
            .fiber = self->id, .sp = (uintptr_t)__builtin_frame_address(0), .mask = before};
    }
    from_bits(during, &self->signal_mask);
    call_handler(&action, number, info, NULL);
    for (unsigned i = state.frame_count; i-- > 0;) {
        if (state.frames[i].fiber != self->id) continue;
        state.frame_count--;
        memmove(&state.frames[i], &state.frames[i + 1], (state.frame_count - i) * sizeof state.frames[0]);
        break;
    }
    rv_signal_set_mask(self, before);
    self->pending = interrupted;
    errno = error;
}

bool rv_signals_run(void) {
    struct rv_fiber *self = rv.current;
    __atomic_fetch_and(&self->signals_pending, ~(uint64_t)1, __ATOMIC_RELAXED);
    if (atomic_load_explicit(&outside, memory_order_relaxed)) (void)rv_signals_collect();
    bool ran = false;
    for (;;) {
        uint64_t allowed = ~rv_signal_mask(self) & ~(uint64_t)1;
        /* A thread in sigwait takes these itself. */
        if (self->pending.op == RV_OP_SIGWAIT && self->pending.data) allowed &= ~*(uint64_t *)self->pending.data;
        siginfo_t info;
        int number = rv_signal_take(self, allowed, &info);
        if (!number) return ran;
        void (*handler)(int) = state.actions[number].sa_handler;
        if (discarded(number)) continue;
        if (handler == SIG_DFL) {
            if (!stops(number)) rv_signal_die(number);
            rv_note("the program stops itself (signal %d); stop signals are not carried out", number);
            continue;
        }
        run_handler(self, number, &info);
        ran = true;
    }
}

bool rv_signal_program_handler(int number, siginfo_t *info, void *context) {
    if (!valid(number) || rv.mode == RV_PASSIVE) return false;
    struct sigaction action = state.actions[number];
    if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) return false;
    dirty = true;
    if (action.sa_flags & (int)SA_RESETHAND) state.actions[number].sa_handler = SIG_DFL;
    call_handler(&action, number, info, context);
    return true;
}

/* ---- dispositions ---- */

const struct sigaction *rv_signal_action(int number) {
    learn();
    return &state.actions[number];
}

static void set_action(int number, const struct sigaction *action) {
    dirty = true;
    state.actions[number] = *action;
    catch_in_kernel(number, action);
}

RV_EXPORT int sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict old) {
    if (rv_passive()) return RV_REAL(sigaction)(number, action, old);
    if (!valid(number) || (action && (number == SIGKILL || number == SIGSTOP))) {
        errno = EINVAL;
        return -1;
    }
    learn();
    struct sigaction before = state.actions[number];
    if (action) set_action(number, action);
    if (old) *old = before;
    return 0;
}

static sighandler_t set_handler(int number, sighandler_t handler, int flags) {
    struct sigaction action = {.sa_flags = flags}, before;
    action.sa_handler = handler;
    if (sigaction(number, &action, &before)) return SIG_ERR;
    return before.sa_handler;
}

RV_EXPORT sighandler_t signal(int number, sighandler_t handler) {
    if (rv_passive()) return RV_REAL(signal)(number, handler);
    return set_handler(number, handler, SA_RESTART);
}

sighandler_t bsd_signal(int number, sighandler_t handler);
RV_EXPORT sighandler_t bsd_signal(int number, sighandler_t handler) {
    if (rv_passive()) return RV_REAL(signal)(number, handler);
    return set_handler(number, handler, SA_RESTART);
}

RV_EXPORT sighandler_t sysv_signal(int number, sighandler_t handler) {
    if (rv_passive()) return RV_REAL(sysv_signal)(number, handler);
    return set_handler(number, handler, (int)(SA_RESETHAND | SA_NODEFER));
}
RV_EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler) { return sysv_signal(number, handler); }

RV_EXPORT int siginterrupt(int number, int interrupt) {
    if (rv_passive()) return RV_REAL(siginterrupt)(number, interrupt);
    if (!valid(number)) {
        errno = EINVAL;
        return -1;
    }
    learn();
    dirty = true;
    if (interrupt) state.actions[number].sa_flags &= ~SA_RESTART;
    else state.actions[number].sa_flags |= SA_RESTART;
    return 0;
}

static int change_mask(int how, const sigset_t *set, sigset_t *old) {
    struct rv_fiber *self = rv.current;
    uint64_t mask = rv_signal_mask(self);
    if (old) from_bits(mask, old);
    if (!set) return 0;
    uint64_t bits = to_bits(set);
    if (how == SIG_BLOCK) mask |= bits;
    else if (how == SIG_UNBLOCK) mask &= ~bits;
    else if (how == SIG_SETMASK) mask = bits;
    else return EINVAL;
    rv_signal_set_mask(self, mask);
    if (rv_signals_wanted(self)) (void)rv_signals_run();
    return 0;
}

RV_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
    if (rv_passive() || !rv.current) return RV_REAL(pthread_sigmask)(how, set, old);
    int error = errno;
    int result = change_mask(how, set, old);
    errno = error;
    return result;
}

RV_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
    if (rv_passive() || !rv.current) return RV_REAL(sigprocmask)(how, set, old);
    int result = change_mask(how, set, old);
    if (!result) return 0;
    errno = result;
    return -1;
}

RV_EXPORT int sigpending(sigset_t *set) {
    if (rv_passive() || !rv.current) return RV_REAL(sigpending)(set);
    uint64_t bits = (rv.current->signals_pending & ~(uint64_t)1) | state.process_pending;
    from_bits(bits & rv_signal_mask(rv.current), set);
    return 0;
}

void rv_signals_snapshot(void) {
    learn();
    saved = state;
    dirty = false;
}

void rv_signals_restore(void) {
    atomic_store(&outside, 0);
    if (!dirty) return;
    uint64_t caught = state.caught;
    state.frame_count = saved.frame_count;
    for (int number = 1; number < SIGNALS; number++) {
        if (state.actions[number].sa_handler == saved.actions[number].sa_handler) continue;
        catch_in_kernel(number, &saved.actions[number]);
    }
    (void)caught;
    uint64_t now_caught = state.caught;
    state = saved;
    state.caught = now_caught;
    dirty = false;
}
