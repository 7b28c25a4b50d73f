/* Operations as steps. Most hooks end in rv_done, and what they tell there says enough; the others call rv_watch.
 *
 * Things without an address get one beyond user space: descriptors (all ends and duplicates of a pipe share a number),
 * signals, threads. Channels are generous (analysis/step.h): a race may be missed for that, none is invented. */
#include "runtime/hooks/threads.h"
#include "runtime/watch.h"

#define DESCRIPTOR     (UINT64_C(1) << 60)
#define ANY_DESCRIPTOR (DESCRIPTOR - 1)
#define SIGNAL         (UINT64_C(2) << 60)
#define CANCELLATION   (UINT64_C(3) << 60)

static void take_lock(const struct rv_pending *pending, bool shared, bool tried) {
    rv_watch_step(shared ? RV_STEP_LOCK_SHARED : RV_STEP_LOCK, (uint64_t)pending->object, 0,
                  tried ? RV_LOCK_TRIED : 0, pending->site);
}

static void channel(enum rv_step_kind kind, uint64_t name, const struct rv_pending *pending) {
    rv_watch_step(kind, name, 0, 0, pending->site);
}

static void descriptor(const struct rv_pending *pending, bool sends) {
    channel(sends ? RV_STEP_SEND : RV_STEP_RECEIVE, DESCRIPTOR + (uint64_t)pending->object, pending);
    if (sends) channel(RV_STEP_SEND, ANY_DESCRIPTOR, pending);
}

static void once(const struct rv_pending *pending, uint64_t value, unsigned event_flags) {
    if (value == 2) channel(RV_STEP_SEND, (uint64_t)pending->object, pending);
    if (event_flags & RV_EVENT_LOOKED) channel(RV_STEP_RECEIVE, (uint64_t)pending->object, pending);
}

static uint64_t size_of(const struct rv_pending *pending, uint64_t size) {
    return size ? size : pending->size;
}

void rv_watch_operation(const struct rv_pending *pending, uint64_t value, unsigned event_flags) {
    uint64_t object = (uint64_t)pending->object;
    if (event_flags & RV_EVENT_FAILED) return;
    switch (pending->op) {
    case RV_OP_LOCK:
    case RV_OP_WRLOCK:
    case RV_OP_SPINLOCK: take_lock(pending, false, pending->deadline != RV_FOREVER); break;
    case RV_OP_TIMEDLOCK:
    case RV_OP_TRYLOCK:
    case RV_OP_TRYWRLOCK:
    case RV_OP_SPINTRYLOCK: take_lock(pending, false, true); break;
    case RV_OP_RDLOCK: take_lock(pending, true, pending->deadline != RV_FOREVER); break;
    case RV_OP_TRYRDLOCK: take_lock(pending, true, true); break;
    case RV_OP_UNLOCK:
    case RV_OP_SPINUNLOCK: channel(RV_STEP_UNLOCK, object, pending); break;
    case RV_OP_MUTEX_INIT:
    case RV_OP_MUTEX_DESTROY:
    case RV_OP_COND_DESTROY: channel(RV_STEP_RENEW, object, pending); break;
    case RV_OP_COND_SIGNAL:
    case RV_OP_COND_BROADCAST:
    case RV_OP_FUTEX_WAKE:
        if (value) channel(RV_STEP_SEND, object, pending);
        break;
    case RV_OP_SEM_POST: channel(RV_STEP_SEND, object, pending); break;
    case RV_OP_COND_WAIT:
    case RV_OP_COND_TIMEDWAIT:
    case RV_OP_FUTEX_WAIT:
    case RV_OP_SEM_WAIT:
    case RV_OP_SEM_TIMEDWAIT:
    case RV_OP_SEM_TRYWAIT:
    case RV_OP_SEM_GETVALUE: channel(RV_STEP_RECEIVE, object, pending); break;
    case RV_OP_ONCE: once(pending, value, event_flags); break;
    case RV_OP_JOIN: channel(RV_STEP_JOIN, object < rv.fiber_count ? object : 0, pending); break;
    case RV_OP_FD_WRITE:
    case RV_OP_FD_CLOSE: descriptor(pending, true); break;
    case RV_OP_FD_READ:
    case RV_OP_FD_ACCEPT: descriptor(pending, false); break;
    case RV_OP_FD_POLL: channel(RV_STEP_RECEIVE, ANY_DESCRIPTOR, pending); break;
    case RV_OP_KILL:
    case RV_OP_SIGACTION: channel(RV_STEP_SEND, SIGNAL, pending); break;
    case RV_OP_HANDLER:
    case RV_OP_SIGWAIT: channel(RV_STEP_RECEIVE, SIGNAL, pending); break;
    case RV_OP_CANCEL: channel(RV_STEP_SEND, CANCELLATION + object, pending); break;
    case RV_OP_MALLOC: rv_watch_step(RV_STEP_ALLOC, object, size_of(pending, value), 0, pending->site); break;
    case RV_OP_FREE:
    case RV_OP_REMAP:
        rv_watch_step(RV_STEP_FREE, object, size_of(pending, pending->op == RV_OP_FREE ? value : 0), 0,
                      pending->site);
        break;
    default: break;
    }
}

void rv_watch_signal(uintptr_t pc) { rv_watch(RV_STEP_SEND, (const void *)SIGNAL, 0, 0, pc); }

void rv_watch_cancelled(void) {
    uint64_t self = (uint64_t)rv_thread_object(rv.current);
    rv_watch(RV_STEP_RECEIVE, (const void *)(CANCELLATION + self), 0, 0, 0);
}
