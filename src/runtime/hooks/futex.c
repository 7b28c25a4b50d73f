/* Futexes: programs that bring their own locks call syscall(SYS_futex, ...), which syscall.c sends here.
 *
 * A waiter is a fiber whose pending operation is FUTEX_WAIT on the word, not woken yet; nothing else is kept.
 * The kernel's promise is that looking at the word and going to sleep are one step: here everything between two
 * scheduling points is. Waiters are woken in the order in which they began to wait, as the kernel does for
 * threads of one priority.
 *
 * What is not seen: futex calls by code that has the system call instruction inlined. In practice that is OpenMP's
 * runtime; it is recognised when it creates its first thread (rv_check_creator).
 */
#include <dlfcn.h>
#include <linux/futex.h>
#include <string.h>

#include "runtime/hooks/outside.h"
#include "runtime/hooks/sync.h"

struct waiter {     /* on the waiting fiber's stack; pending.data */
    uint32_t *word; /* changes when it is requeued */
    uint32_t bits;
};

/* ---- who waits ---- */

static struct waiter *waiter_of(struct rv_fiber *fiber) {
    if (fiber->state != RV_FIBER_ALIVE || fiber->pending.op != RV_OP_FUTEX_WAIT || fiber->woken) return NULL;
    struct waiter *waiter = fiber->pending.data;
    return waiter && fiber->waiting_on == waiter ? waiter : NULL;
}

/* The one that waits longest on this word for one of these bits. */
static struct rv_fiber *first_waiter(const uint32_t *word, uint32_t bits) {
    struct rv_fiber *first = NULL;
    for (uint32_t i = 0; i < rv.fiber_count; i++) {
        struct rv_fiber *fiber = rv.fibers[i];
        const struct waiter *waiter = waiter_of(fiber);
        if (!waiter || waiter->word != word || !(waiter->bits & bits)) continue;
        if (!first || fiber->wait_ticket < first->wait_ticket) first = fiber;
    }
    return first;
}

static uint32_t wake(const uint32_t *word, uint32_t limit, uint32_t bits) {
    uint32_t count = 0;
    for (struct rv_fiber *fiber; count < limit && (fiber = first_waiter(word, bits)); count++)
        fiber->woken = true;
    return count;
}

static uint32_t requeue(const uint32_t *from, uint32_t *to, uint32_t limit) {
    uint32_t count = 0;
    for (struct rv_fiber *fiber; count < limit && from != to && (fiber = first_waiter(from, ~0u)); count++) {
        waiter_of(fiber)->word = to;
        fiber->pending.object = to;
        fiber->wait_ticket = rv_ticket();
    }
    return count;
}

/* ---- wait ---- */

/* -EINVAL, or 0 with the deadline in pending; sets *expired if it is past. */
static int set_deadline(struct rv_pending *pending, int operation, const struct timespec *timeout,
                        bool *expired) {
    if (!timeout) return 0;
    int64_t length = rv_timespec_ns(timeout);
    if (length < 0) return -EINVAL;
    clockid_t clock = operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    bool absolute = (operation & FUTEX_CMD_MASK) != FUTEX_WAIT;
    int64_t now = rv_now_to_wait();
    if (absolute)
        pending->deadline = rv_deadline_from(clock, timeout);
    else
        pending->deadline = length < RV_FOREVER - now ? now + length : RV_FOREVER;
    *expired = pending->deadline <= now;
    pending->timeout = *expired ? 0 : pending->deadline - now;
    return 0;
}

static long wait_on(uint32_t *word, int operation, uint32_t value, const struct timespec *timeout,
                    uint32_t bits, uintptr_t site) {
    if (!bits || ((uintptr_t)word & 3)) return -EINVAL;
    struct rv_pending pending = RV_PENDING(RV_OP_FUTEX_WAIT, word, site);
    pending.size = sizeof *word;
    (void)rv_schedule(&pending);
    bool expired = false;
    long result = set_deadline(&pending, operation, timeout, &expired);
    if (!result && *(volatile uint32_t *)word != value) result = -EAGAIN;
    if (!result && expired) result = -ETIMEDOUT;
    if (!result) {
        struct rv_fiber *self = rv_self();
        struct waiter waiter = {.word = word, .bits = bits};
        rv_wait_begin(&waiter);
        pending.data = &waiter;
        pending.ready = rv_wait_woken;
        pending.interruptible = true;
        enum rv_wake reason = rv_schedule(&pending);
        bool woken = self->woken; /* a wake-up counts, whatever else has happened: it is used up */
        rv_wait_end();
        self->pending.data = NULL;
        if (!woken) result = reason == RV_SIGNAL ? -EINTR : -ETIMEDOUT;
    }
    unsigned flags = result ? RV_EVENT_FAILED : 0;
    rv_done(&pending, (uint64_t)-result, result == -ETIMEDOUT ? flags | RV_EVENT_TIMEOUT : flags);
    return result;
}

/* ---- wake, requeue, wake_op ---- */

static long change_and_compare(uint32_t *word, uint32_t code, bool *holds) {
    uint32_t operand = code >> 12 & 0xfff, compared = code & 0xfff, old = *word;
    unsigned op = code >> 28 & 7;
    if (code >> 31) operand = 1u << (operand & 31); /* FUTEX_OP_OPARG_SHIFT */
    switch (op) {
    case FUTEX_OP_SET: *word = operand; break;
    case FUTEX_OP_ADD: *word = old + operand; break;
    case FUTEX_OP_OR: *word = old | operand; break;
    case FUTEX_OP_ANDN: *word = old & ~operand; break;
    case FUTEX_OP_XOR: *word = old ^ operand; break;
    default: return -ENOSYS;
    }
    int32_t a = (int32_t)old, b = (int32_t)(compared << 20) >> 20; /* 12 bits with sign */
    switch (code >> 24 & 0xf) {
    case FUTEX_OP_CMP_EQ: *holds = a == b; return 0;
    case FUTEX_OP_CMP_NE: *holds = a != b; return 0;
    case FUTEX_OP_CMP_LT: *holds = a < b; return 0;
    case FUTEX_OP_CMP_LE: *holds = a <= b; return 0;
    case FUTEX_OP_CMP_GT: *holds = a > b; return 0;
    case FUTEX_OP_CMP_GE: *holds = a >= b; return 0;
    default: return -ENOSYS;
    }
}

static long do_wake(uint32_t *word, int command, uint32_t value, uint32_t second, uint32_t *other,
                    uint32_t value3) {
    bool holds = false;
    long error, woken;
    switch (command) {
    case FUTEX_WAKE: return wake(word, value, ~0u);
    case FUTEX_WAKE_BITSET: return value3 ? (long)wake(word, value, value3) : -EINVAL;
    case FUTEX_WAKE_OP:
        error = change_and_compare(other, value3, &holds);
        if (error) return error;
        woken = wake(word, value, ~0u);
        return holds ? woken + wake(other, second, ~0u) : woken;
    case FUTEX_CMP_REQUEUE:
        if (*(volatile uint32_t *)word != value3) return -EAGAIN;
        __attribute__((fallthrough));
    default: /* FUTEX_REQUEUE */ woken = wake(word, value, ~0u); return woken + requeue(word, other, second);
    }
}

long rv_futex(uint32_t *word, int operation, uint32_t value, const struct timespec *timeout, uint32_t *other,
              uint32_t value3, uintptr_t site) {
    int command = operation & FUTEX_CMD_MASK;
    switch (command) {
    case FUTEX_WAIT: return wait_on(word, operation, value, timeout, ~0u, site);
    case FUTEX_WAIT_BITSET: return wait_on(word, operation, value, timeout, value3, site);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
    case FUTEX_WAKE_OP:
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE: break;
    default:
        rv_note(
            "the program uses futex operation %d (priority inheritance), which ravel does not know: ENOSYS",
            command);
        return -ENOSYS;
    }
    struct rv_pending pending = RV_PENDING(RV_OP_FUTEX_WAKE, word, site);
    pending.size = sizeof *word;
    (void)rv_schedule(&pending);
    /* The kernel takes the fourth argument as a number for these. */
    long result = do_wake(word, command, value, (uint32_t)(uintptr_t)timeout, other, value3);
    rv_done(&pending, (uint64_t)result, rv_sys_failed(result) ? RV_EVENT_FAILED : 0);
    return result;
}

/* ---- libraries whose futexes cannot be seen ---- */

void rv_check_creator(uintptr_t site) {
    static uintptr_t harmless; /* the last site looked at: programs create threads in one place, mostly */
    if (site == harmless) return;
    harmless = site;
    rv.internal++;
    Dl_info info;
    bool known = dladdr((void *)site, &info) && info.dli_fname;
    bool gomp = known && strstr(info.dli_fname, "libgomp");
    bool other = known && (strstr(info.dli_fname, "libomp") || strstr(info.dli_fname, "libiomp"));
    rv.internal--;
    if (gomp)
        rv_unusable(
            "the program uses OpenMP (libgomp): its threads synchronise by inlined system calls, which "
            "ravel cannot control; run it with OMP_NUM_THREADS=1, or build it without -fopenmp");
    if (other)
        rv_note(
            "the program uses OpenMP (libomp): what its threads wait for by spinning is not seen by ravel");
}
