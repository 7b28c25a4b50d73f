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
 *   SEGV, BUS, FPE, ILL, TRAP, SYS, ABRT                core's crash handlers stay; see fault.c
 *   those of the watchdog and of preempt.c              core's, too: for the program they are virtual only
 *
 * A fiber's pending signals are kept sorted: signals_pending has those that its mask allows, so that the
 * scheduler sees by one comparison whether there is something to run; signals_held has the others. Whatever
 * changes a mask sorts again. A process' signal is in neither: it is given to a fiber as soon as one allows it.
 *
 * Interruption. A handler ends an interruptible wait, except that one installed with SA_RESTART lets those calls
 * go on that Linux restarts (signal(7)): reads, writes, accept, wait, semaphores, futexes; never sleeps, polls
 * and waits for signals.
 *
 * Masks and longjmp: a handler left by siglongjmp never comes back to restore the mask. Each running handler
 * has a frame with its stack address; jump.c tells which of them are left.
 */
#include <stdatomic.h>
#include <ucontext.h>

#include "runtime/hooks/outside.h"

enum { SIGNALS = 65, QUEUE = 128, FRAMES = 64 };
#define LOOK ((uint64_t)1) /* in signals_pending: the kernel delivered something */

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
    bool known;    /* inherited dispositions have been read */
    bool children; /* the kernel has our handler for whatever a child may send */
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

/* Named for reports, which show it as any variable: "send signal pending_signals". */
static const char pending_signals = 0;
const void *const rv_signal_object = &pending_signals;

static _Atomic uint64_t outside; /* signals that the kernel delivered and nobody has looked at */
static siginfo_t outside_info[SIGNALS];

static bool is_fault(int number) {
    switch (number) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGTRAP:
    case SIGSYS:
    case SIGABRT: return true;
    default: return false;
    }
}

/* RV_WATCH_SIGNAL, and that of preempt.c: the kernel's handler for them is core's. */
static bool is_cores(int number) { return number == SIGRTMAX - 1 || number == SIGRTMAX - 2; }

static bool ignored_by_default(int number) {
    return number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT;
}

static bool stops(int number) {
    return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* From a terminal or whoever wants the process to end: their default action stays the kernel's. */
static bool ends_the_process(int number) {
    return number == SIGINT || number == SIGQUIT || number == SIGTERM || number == SIGHUP || stops(number);
}

/* ---- sets ---- */

uint64_t rv_signal_bits(const sigset_t *set) {
    uint64_t word; /* the kernel's: bit n-1 for signal n */
    memcpy(&word, set, sizeof word);
    uint64_t bits = (word << 1) & ~rv_signal_bit(64);
    return word >> 63 ? bits | rv_signal_bit(64) : bits;
}

void rv_signal_set(uint64_t bits, sigset_t *set) {
    uint64_t word = (bits & ~rv_signal_bit(64)) >> 1;
    if (bits & rv_signal_bit(64)) word |= (uint64_t)1 << 63;
    memset(set, 0, sizeof *set);
    memcpy(set, &word, sizeof word);
}

static int lowest(uint64_t bits) {
    uint64_t ordinary = bits & ~rv_signal_bit(64);
    return ordinary ? __builtin_ctzll(ordinary) : 64;
}

/* ---- the kernel's side ---- */

static void on_kernel_signal(int number, siginfo_t *info, void *context) {
    (void)context;
    if (number == SIGPIPE && info->si_code == SI_USER && info->si_pid == rv_sys_getpid())
        return; /* of a write: its hook sees EPIPE */
    outside_info[number] = *info;
    atomic_fetch_or(&outside, rv_signal_bit(number));
    if (rv.current) __atomic_fetch_or(&rv.current->signals_pending, LOOK, __ATOMIC_RELAXED);
}

static void catch_in_kernel(int number, const struct sigaction *action, bool default_too) {
    if (is_fault(number) || number == SIGKILL || number == SIGSTOP || is_cores(number)) return;
    bool is_default = action->sa_handler == SIG_DFL;
    struct sigaction real = {.sa_flags = SA_SIGINFO | SA_RESTART};
    if (action->sa_handler == SIG_IGN || (is_default && !default_too && number != SIGPIPE)) {
        if (is_default && !(state.caught & rv_signal_bit(number))) return;
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
    if (RV_LIKELY(state.known)) return;
    state.known = true;
    for (int number = 1; number < SIGNALS; number++) {
        struct sigaction inherited;
        if (RV_REAL(sigaction)(number, NULL, &inherited) == 0 && inherited.sa_handler == SIG_IGN)
            state.actions[number].sa_handler = SIG_IGN;
    }
    if (state.actions[SIGPIPE].sa_handler == SIG_DFL)
        catch_in_kernel(SIGPIPE, &state.actions[SIGPIPE], false);
}

void rv_signals_begin(void) { learn(); }

void rv_signals_expect_children(void) {
    learn();
    if (state.children) return;
    state.children = dirty = true;
    for (int number = 1; number < SIGNALS; number++) {
        if (number == 32 || number == 33 || ends_the_process(number)) continue; /* glibc's own */
        if (state.actions[number].sa_handler == SIG_DFL)
            catch_in_kernel(number, &state.actions[number], true);
    }
}

bool rv_signals_collect(void) {
    uint64_t came = atomic_exchange(&outside, 0);
    for (uint64_t rest = came; rest;) {
        int number = lowest(rest);
        rest &= ~rv_signal_bit(number);
        rv_signal_send(NULL, number, &outside_info[number]);
    }
    return came != 0 || rv_others_may_act();
}

/* ---- masks ---- */

static bool waits_for(const struct rv_fiber *fiber, int number) {
    return fiber->pending.op == RV_OP_SIGWAIT && fiber->pending.data &&
           (*(const uint64_t *)fiber->pending.data & rv_signal_bit(number));
}

static void sort_pending(struct rv_fiber *fiber) {
    uint64_t all = (fiber->signals_pending & ~LOOK) | fiber->signals_held;
    uint64_t mask = rv_signal_bits(&fiber->signal_mask);
    fiber->signals_held = all & mask;
    __atomic_fetch_and(&fiber->signals_pending, LOOK, __ATOMIC_RELAXED);
    __atomic_fetch_or(&fiber->signals_pending, all & ~mask, __ATOMIC_RELAXED);
}

uint64_t rv_signal_mask(struct rv_fiber *fiber) { return rv_signal_bits(&fiber->signal_mask); }

static int take_from_process(uint64_t set, siginfo_t *info);

void rv_signal_set_mask(struct rv_fiber *fiber, uint64_t mask) {
    mask &= ~(rv_signal_bit(SIGKILL) | rv_signal_bit(SIGSTOP));
    rv_signal_set(mask, &fiber->signal_mask);
    sort_pending(fiber);
    siginfo_t info;
    for (int number; (number = take_from_process(~mask, &info));) rv_signal_send(fiber, number, &info);
}

/* ---- sending ---- */

static bool discarded(int number) {
    void (*handler)(int) = state.actions[number].sa_handler;
    return handler == SIG_IGN || (handler == SIG_DFL && ignored_by_default(number));
}

static bool eligible(const struct rv_fiber *fiber, int number) {
    if (!fiber || fiber->state != RV_FIBER_ALIVE) return false;
    if (waits_for(fiber, number)) return true;
    return !discarded(number) && !(rv_signal_bits(&fiber->signal_mask) & rv_signal_bit(number));
}

/* Which of those that could take it: a choice, with the main thread first, as Linux prefers it. */
static struct rv_fiber *receiver(int number) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < rv.fiber_count; i++) count += eligible(rv.fibers[i], number);
    if (!count) return NULL;
    uint32_t wanted = count > 1 ? rv_choose(count) : 0;
    for (uint32_t i = 0;; i++)
        if (eligible(rv.fibers[i], number) && wanted-- == 0) return rv.fibers[i];
}

static bool everybody_allows(int number) {
    for (uint32_t i = 0; i < rv.fiber_count; i++) {
        const struct rv_fiber *fiber = rv.fibers[i];
        if (fiber->state == RV_FIBER_ALIVE && (rv_signal_bits(&fiber->signal_mask) & rv_signal_bit(number)))
            return false;
    }
    return true;
}

static void enqueue(uint32_t fiber, int number, const siginfo_t *info) {
    if (number < SIGRTMIN) return; /* ordinary signals do not queue */
    if (state.queued == QUEUE) {
        rv_note("more than %d real-time signals were pending: further ones are lost", QUEUE);
        return;
    }
    state.queue[state.queued++] = (struct queued){.fiber = fiber, .number = number, .info = *info};
}

static void send_to_process(int number, const siginfo_t *info) {
    /* A signal whose action is to do nothing is kept only for those who block it, and perhaps wait for it. */
    if (discarded(number) && everybody_allows(number)) return;
    if (state.process_pending & rv_signal_bit(number))
        enqueue(RV_NO_THREAD, number, info);
    else
        state.process_info[number] = *info;
    state.process_pending |= rv_signal_bit(number);
}

void rv_signal_send(struct rv_fiber *fiber, int number, const siginfo_t *info) {
    RV_INVARIANT(rv_signal_valid(number));
    learn();
    dirty = true;
    siginfo_t made = {.si_signo = number, .si_code = SI_USER};
    made.si_pid = rv_sys_getpid();
    if (!info) info = &made;
    if (!fiber) fiber = receiver(number);
    if (!fiber) {
        send_to_process(number, info);
        return;
    }
    uint64_t bit = rv_signal_bit(number);
    bool blocked = rv_signal_bits(&fiber->signal_mask) & bit;
    if (discarded(number) && !blocked) return;
    if ((fiber->signals_pending | fiber->signals_held) & bit)
        enqueue(fiber->id, number, info);
    else
        fiber->signal_info[number] = *info;
    if (blocked)
        fiber->signals_held |= bit;
    else
        __atomic_fetch_or(&fiber->signals_pending, bit, __ATOMIC_RELAXED);
}

/* ---- taking ---- */

bool rv_signal_available(const struct rv_fiber *fiber, uint64_t set) {
    return ((fiber->signals_pending | fiber->signals_held | state.process_pending) & ~LOOK) & set;
}

/* After taking one instance: the next queued one, if any, takes its place. */
static bool refill(uint32_t fiber_id, int number, siginfo_t *info) {
    for (unsigned i = 0; i < state.queued; i++) {
        struct queued *entry = &state.queue[i];
        if (entry->fiber != fiber_id || entry->number != number) continue;
        *info = entry->info;
        state.queued--;
        memmove(entry, entry + 1, (state.queued - i) * sizeof *entry);
        return true;
    }
    return false;
}

static int take_from_process(uint64_t set, siginfo_t *info) {
    if (!(state.process_pending & set)) return 0;
    dirty = true;
    int number = lowest(state.process_pending & set);
    *info = state.process_info[number];
    if (!refill(RV_NO_THREAD, number, &state.process_info[number]))
        state.process_pending &= ~rv_signal_bit(number);
    return number;
}

int rv_signal_take(struct rv_fiber *fiber, uint64_t set, siginfo_t *info) {
    uint64_t own = (fiber->signals_pending | fiber->signals_held) & ~LOOK & set;
    uint64_t shared = state.process_pending & set;
    if (!(own | shared)) return 0;
    int number = lowest(own | shared);
    uint64_t bit = rv_signal_bit(number);
    if (!(own & bit)) return take_from_process(bit, info);
    dirty = true;
    *info = fiber->signal_info[number];
    if (!refill(fiber->id, number, &fiber->signal_info[number])) {
        fiber->signals_held &= ~bit;
        __atomic_fetch_and(&fiber->signals_pending, ~bit, __ATOMIC_RELAXED);
    }
    return number;
}

bool rv_signal_would_kill(int number) {
    learn();
    if (state.actions[number].sa_handler != SIG_DFL || ignored_by_default(number) || stops(number))
        return false;
    for (uint32_t i = 0; i < rv.fiber_count; i++)
        if (eligible(rv.fibers[i], number) && !waits_for(rv.fibers[i], number)) return true;
    return false;
}

bool rv_signal_discarded(int number) {
    learn();
    return discarded(number);
}

static bool is_of_timer(const siginfo_t *info, int timer) {
    return info->si_code == SI_TIMER && info->si_timerid == timer;
}

bool rv_signal_timer_pending(int number, int timer) {
    uint64_t bit = rv_signal_bit(number);
    if ((state.process_pending & bit) && is_of_timer(&state.process_info[number], timer)) return true;
    for (unsigned i = 0; i < state.queued; i++)
        if (state.queue[i].number == number && is_of_timer(&state.queue[i].info, timer)) return true;
    for (uint32_t i = 0; i < rv.fiber_count; i++) {
        const struct rv_fiber *fiber = rv.fibers[i];
        bool pending = (fiber->signals_pending | fiber->signals_held) & bit;
        if (pending && is_of_timer(&fiber->signal_info[number], timer)) return true;
    }
    return false;
}

void rv_signal_pipe(void) {
    learn();
    if (state.actions[SIGPIPE].sa_handler == SIG_IGN) return;
    rv_signal_send(rv.current, SIGPIPE, NULL);
    if (rv_signals_wanted(rv.current)) (void)rv_signals_run();
}

/* ---- running ---- */

static const char *const names[] = {
    [SIGHUP] = "SIGHUP",   [SIGINT] = "SIGINT",   [SIGQUIT] = "SIGQUIT",     [SIGILL] = "SIGILL",
    [SIGTRAP] = "SIGTRAP", [SIGABRT] = "SIGABRT", [SIGBUS] = "SIGBUS",       [SIGFPE] = "SIGFPE",
    [SIGKILL] = "SIGKILL", [SIGUSR1] = "SIGUSR1", [SIGSEGV] = "SIGSEGV",     [SIGUSR2] = "SIGUSR2",
    [SIGPIPE] = "SIGPIPE", [SIGALRM] = "SIGALRM", [SIGTERM] = "SIGTERM",     [SIGSTKFLT] = "SIGSTKFLT",
    [SIGXCPU] = "SIGXCPU", [SIGXFSZ] = "SIGXFSZ", [SIGVTALRM] = "SIGVTALRM", [SIGPROF] = "SIGPROF",
    [SIGIO] = "SIGIO",     [SIGPWR] = "SIGPWR",   [SIGSYS] = "SIGSYS",
};

_Noreturn void rv_signal_die(int number) {
    if (rv.mode == RV_DETACHED) {
        struct sigaction real = {.sa_handler = SIG_DFL};
        RV_REAL(sigaction)(number, &real, NULL);
        (void)rv_sys_kill(rv_sys_getpid(), number);
        rv_sys_exit_group(128 + number);
    }
    const char *name = (size_t)number < sizeof names / sizeof names[0] ? names[number] : NULL;
    if (name) rv_fail(rv_kind_of_signal(number), "killed by %s", name);
    rv_fail(rv_kind_of_signal(number), "killed by real-time signal %d", number);
}

static void push_frame(uint32_t fiber, uintptr_t sp, uint64_t mask) {
    if (state.frame_count == FRAMES) { /* the oldest is the most likely to have been left for good */
        state.frame_count--;
        memmove(&state.frames[0], &state.frames[1], state.frame_count * sizeof state.frames[0]);
    }
    state.frames[state.frame_count++] = (struct handler_frame){.fiber = fiber, .sp = sp, .mask = mask};
}

/* Drops the fiber's frames below `sp`; gives the mask that the outermost of them would have put back. */
static bool drop_frames(uint32_t fiber, uintptr_t sp, uint64_t *mask) {
    bool found = false;
    unsigned kept = 0;
    for (unsigned i = 0; i < state.frame_count; i++) {
        struct handler_frame *frame = &state.frames[i];
        if (frame->fiber == fiber && frame->sp <= sp) {
            if (!found) *mask = frame->mask;
            found = true;
            continue;
        }
        state.frames[kept++] = *frame;
    }
    state.frame_count = kept;
    return found;
}

void rv_signal_unwind(uintptr_t sp, bool mask_comes_back) {
    uint64_t mask;
    if (!state.frame_count || !drop_frames(rv.current->id, sp, &mask)) return;
    if (mask_comes_back) rv_signal_set_mask(rv.current, mask);
}

struct sigaction rv_signal_enter(int number, uintptr_t sp, uint64_t *before) {
    struct rv_fiber *self = rv.current;
    struct sigaction action = state.actions[number];
    dirty = true;
    if (action.sa_flags & (int)SA_RESETHAND) state.actions[number].sa_handler = SIG_DFL;
    *before = rv_signal_mask(self);
    uint64_t during = *before | rv_signal_bits(&action.sa_mask);
    if (!(action.sa_flags & SA_NODEFER)) during |= rv_signal_bit(number);
    /* A site is a return address: the call is looked for right before it. */
    struct rv_pending pending = RV_PENDING(RV_OP_HANDLER, NULL, (uintptr_t)action.sa_handler + 1);
    rv_done(&pending, (uint64_t)number, 0);
    push_frame(self->id, sp, *before);
    rv_signal_set_mask(self, during);
    return action;
}

void rv_signal_leave(uintptr_t sp, uint64_t mask) {
    uint64_t unused;
    (void)drop_frames(rv.current->id, sp, &unused);
    rv_signal_set_mask(rv.current, mask);
}

/* What a handler may look at: where it interrupted, the stack, the mask (which it may change). */
static void fill_context(ucontext_t *context, uintptr_t pc, uintptr_t sp, uint64_t mask) {
    memset(context, 0, sizeof *context);
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
    context->uc_mcontext.gregs[REG_RSP] = (greg_t)sp;
    context->uc_mcontext.gregs[REG_RBP] = (greg_t)sp;
    rv_signal_set(mask, &context->uc_sigmask);
}

static void run_handler(struct rv_fiber *self, int number, siginfo_t *info) {
    struct { /* the handler may wait, too */
        struct rv_pending pending;
        const void *waiting_on, *waiting_mutex;
    } interrupted = {self->pending, self->waiting_on, self->waiting_mutex};
    int error = errno;
    uint64_t before;
    uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
    struct sigaction action = rv_signal_enter(number, sp, &before);
    ucontext_t context;
    fill_context(&context, interrupted.pending.site, sp, before);
    if (action.sa_flags & SA_SIGINFO)
        action.sa_sigaction(number, info, &context);
    else
        action.sa_handler(number);
    rv_signal_leave(sp, rv_signal_bits(&context.uc_sigmask));
    self->pending = interrupted.pending;
    if (self->waiting_on != interrupted.waiting_on) {
        /* It used the place where the fiber says what it waits for, so a wake-up may be lost: wake. */
        self->waiting_on = interrupted.waiting_on;
        self->waiting_mutex = interrupted.waiting_mutex;
        self->woken = true;
    }
    errno = error;
}

/* Calls that Linux restarts after a handler installed with SA_RESTART. */
static bool restarts(enum rv_op op) {
    switch (op) {
    case RV_OP_FD_READ:
    case RV_OP_FD_WRITE:
    case RV_OP_FD_ACCEPT:
    case RV_OP_CHILD_WAIT:
    case RV_OP_SEM_WAIT:
    case RV_OP_SEM_TIMEDWAIT:
    case RV_OP_FUTEX_WAIT: return true;
    default: return false;
    }
}

bool rv_signals_run(void) {
    struct rv_fiber *self = rv.current;
    __atomic_fetch_and(&self->signals_pending, ~LOOK, __ATOMIC_RELAXED);
    if (atomic_load_explicit(&outside, memory_order_relaxed)) (void)rv_signals_collect();
    bool interrupts = false;
    enum rv_op op = self->pending.op;
    siginfo_t info;
    for (int number; (number = rv_signal_take(self, self->signals_pending & ~LOOK, &info));) {
        if (discarded(number)) continue;
        struct sigaction action = state.actions[number];
        if (action.sa_handler == SIG_DFL) {
            if (!stops(number)) rv_signal_die(number);
            rv_note("the program stops itself (signal %d); stop signals are not carried out", number);
            continue;
        }
        run_handler(self, number, &info);
        interrupts = interrupts || !(action.sa_flags & SA_RESTART) || !restarts(op);
    }
    return interrupts;
}

/* ---- dispositions ---- */

const struct sigaction *rv_signal_action(int number) {
    learn();
    return &state.actions[number];
}

void rv_signal_set_action(int number, const struct sigaction *action) {
    learn();
    dirty = true;
    state.actions[number] = *action;
    catch_in_kernel(number, action, state.children && !ends_the_process(number));
    if (!discarded(number)) return;
    /* POSIX: what is pending is dropped when the action becomes to ignore it. */
    siginfo_t info;
    while (take_from_process(rv_signal_bit(number), &info)) continue;
    for (uint32_t i = 0; i < rv.fiber_count; i++)
        while (rv_signal_take(rv.fibers[i], rv_signal_bit(number), &info)) continue;
}

/* ---- processes ---- */

void rv_signals_forked(void) {
    state.process_pending = 0;
    state.queued = 0;
    rv.current->signals_pending = rv.current->signals_held = 0;
    atomic_store(&outside, 0);
}

static void set_real_mask(uint64_t mask) {
    sigset_t set;
    rv_signal_set(mask, &set);
    (void)rv_sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&set, 0, 8);
}

static uint64_t lent_from;

void rv_signals_lend_mask(void) {
    sigset_t real;
    memset(&real, 0, sizeof real);
    (void)rv_sys4(SYS_rt_sigprocmask, SIG_SETMASK, 0, (long)&real, 8);
    lent_from = rv_signal_bits(&real);
    set_real_mask(rv_signal_mask(rv.current));
}

void rv_signals_unlend_mask(void) { set_real_mask(lent_from); }

void rv_signals_snapshot(void) {
    learn();
    saved = state;
    dirty = false;
}

void rv_signals_restore(void) {
    atomic_store(&outside, 0);
    if (!dirty) return;
    for (int number = 1; number < SIGNALS; number++) {
        const struct sigaction *now = &state.actions[number], *then = &saved.actions[number];
        if (now->sa_handler == then->sa_handler && now->sa_flags == then->sa_flags) continue;
        catch_in_kernel(number, then, state.children && !ends_the_process(number));
    }
    uint64_t caught = state.caught;
    bool children = state.children;
    state = saved;
    state.caught = caught;
    state.children = children;
    dirty = false;
}
