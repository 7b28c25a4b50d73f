/* The compilers' hooks for atomics: C11 and GNU, all sizes. Each is one scheduling point and then the operation
 * itself, sequentially consistent whatever order was asked for; only analyses are told of the order. Passive, they are the operation alone.
 *
 * An operation that leaves the memory as it was (a failed compare-exchange, an exchange of 1 for 1: spinning) has
 * no effect that another thread could notice.
 */
#include "runtime/access.h"
#include "runtime/cover.h"

#define PC() ((uintptr_t)__builtin_return_address(0))

typedef uint8_t a8;
typedef uint16_t a16;
typedef uint32_t a32;
typedef uint64_t a64;
typedef unsigned __int128 a128;

/* Without what the ABI adds to it (hints about lock elision). */
static uint8_t order_of(int order) {
    unsigned plain = (unsigned)order & 0xff;
    return plain <= RV_ORDER_SEQ_CST ? (uint8_t)plain : RV_ORDER_SEQ_CST;
}

/* True: under control; the point has passed and the operation is to be done now. */
static bool before(const volatile void *object, size_t size, enum rv_op op, int order, uintptr_t pc) {
    if (rv_passive()) return false;
    uintptr_t address = (uintptr_t)object;
    bool write = rv_op_flags[op] & RV_OPF_WRITE;
    rv_access_check(address, size, write, pc);
    if (rv.mode == RV_SINGLE) rv_site_before(pc);
    if (rv.mode != RV_CONTROLLED) return false;
    struct rv_fiber *self = rv.current;
    self->order = order_of(order);
    if (RV_UNLIKELY(self->unfilled)) rv_trace_fill(self);
    bool maybe_stack = !rv_heap_contains(address);
    if (maybe_stack) rv_access_stack(address, write, pc);
    if (rv_engine.replaying && !rv_access_is_point(self, rv_site_of(pc))) {
        self->step++;
    } else {
        rv_access_point(op, address, size, pc);
        rv_access_check(address, size, write, pc); /* somebody may have freed it meanwhile, or returned */
        if (maybe_stack) rv_access_stack(address, write, pc);
    }
    return true;
}

/* The operation is done: `old` was there, `new` is. */
static void after(const volatile void *object, size_t size, enum rv_op op, uintptr_t pc, uint64_t old,
                  uint64_t new, bool failed, int order) {
    struct rv_fiber *self = rv.current;
    uintptr_t address = (uintptr_t)object;
    bool write = rv_op_flags[op] & RV_OPF_WRITE;
    rv_spin_note(self, address * 31 + pc + old * 0xbf58476d1ce4e5b9u + new * 0x94d049bb133111ebu,
                 old == new ? rv_engine.await_weight : 0);
    (void)rv_shadow_access(address, size, write && !failed, rv_site_always(pc), self->id);
    enum rv_step_kind kind = failed || op == RV_OP_ATOMIC_LOAD ? RV_STEP_ATOMIC_READ
                             : op == RV_OP_ATOMIC_STORE        ? RV_STEP_ATOMIC_WRITE
                                                               : RV_STEP_ATOMIC_RMW;
    rv_watch(kind, object, size, order_of(order), pc);
    if (RV_UNLIKELY(rv_covering.on)) {
        const struct rv_site *site = rv_site_of(pc);
        if (kind != RV_STEP_ATOMIC_WRITE) rv_cover_access(self, address, size, false, site);
        if (kind != RV_STEP_ATOMIC_READ) rv_cover_access(self, address, size, true, site);
    }
    if (write && old != new) rv_effect(self);
    if (rv_engine.strategy->observe) {
        struct rv_pending done = RV_PENDING(op, (const void *)address, pc);
        done.size = (uint32_t)size;
        rv_observe(&done, failed);
    }
    if (rv.tracing)
        rv_trace_memory(self, op, address, size, pc, op == RV_OP_ATOMIC_LOAD ? old : new,
                        (size <= 8 ? RV_EVENT_VALUE : 0u) | (failed ? RV_EVENT_FAILED : 0u));
}

/* 128 bits: the builtins would call libatomic, whose lock-free way is this instruction. */
static a128 load_128(const volatile a128 *object) {
    a128 value = 0;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "+A"(value), "+m"(*(volatile a128 *)object)
                     : "b"(0ul), "c"(0ul)
                     : "cc");
    return value;
}
static bool exchange_if_128(volatile a128 *object, a128 *expected, a128 desired) {
    bool done;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "+A"(*expected), "+m"(*object), "=@ccz"(done)
                     : "b"((uint64_t)desired), "c"((uint64_t)(desired >> 64))
                     : "memory");
    return done;
}

#define LOAD_NATIVE(object) __atomic_load_n(object, __ATOMIC_SEQ_CST)
#define IF_NATIVE(object, expected, desired) \
    __atomic_compare_exchange_n(object, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define LOAD_128(object)                  load_128(object)
#define IF_128(object, expected, desired) exchange_if_128(object, expected, desired)

/* Every read-modify-write as a compare-exchange loop: right when passive, one round when controlled. */
#define UPDATE(bits, name, load, exchange, expression)                                                     \
    RV_EXPORT a##bits __tsan_atomic##bits##_##name(volatile a##bits *object, a##bits operand, int order);  \
    RV_EXPORT a##bits __tsan_atomic##bits##_##name(volatile a##bits *object, a##bits operand, int order) { \
        bool controlled = before(object, sizeof *object, RV_OP_ATOMIC_RMW, order, PC());                   \
        a##bits old = load(object), new;                                                                   \
        do new = (a##bits)(expression);                                                                    \
        while (!exchange(object, &old, new));                                                              \
        if (controlled)                                                                                    \
            after(object, sizeof *object, RV_OP_ATOMIC_RMW, PC(), (uint64_t)old, (uint64_t) new, false,    \
                  order);                                                                                  \
        return old;                                                                                        \
    }

#define COMPARE(bits, name, exchange)                                                                        \
    RV_EXPORT int __tsan_atomic##bits##_##name(volatile a##bits *object, a##bits *expected, a##bits desired, \
                                               int order, int failure_order);                                \
    RV_EXPORT int __tsan_atomic##bits##_##name(volatile a##bits *object, a##bits *expected, a##bits desired, \
                                               int order, int failure_order) {                               \
                                                                                                             \
        bool controlled = before(object, sizeof *object, RV_OP_ATOMIC_CAS, order, PC());                     \
        a##bits old = *expected;                                                                             \
        bool done = exchange(object, &old, desired);                                                         \
        if (!done) *expected = old;                                                                          \
        if (controlled)                                                                                      \
            after(object, sizeof *object, RV_OP_ATOMIC_CAS, PC(), (uint64_t)old,                             \
                  done ? (uint64_t)desired : (uint64_t)old, !done, done ? order : failure_order);            \
        return done;                                                                                         \
    }

#define ATOMIC(bits, LOAD, SWAP)                                                                            \
    RV_EXPORT a##bits __tsan_atomic##bits##_load(const volatile a##bits *object, int order);                \
    RV_EXPORT a##bits __tsan_atomic##bits##_load(const volatile a##bits *object, int order) {               \
        bool controlled = before(object, sizeof *object, RV_OP_ATOMIC_LOAD, order, PC());                   \
        a##bits value = LOAD(object);                                                                       \
        if (controlled)                                                                                     \
            after(object, sizeof *object, RV_OP_ATOMIC_LOAD, PC(), (uint64_t)value, (uint64_t)value, false, \
                  order);                                                                                   \
        return value;                                                                                       \
    }                                                                                                       \
    RV_EXPORT void __tsan_atomic##bits##_store(volatile a##bits *object, a##bits value, int order);         \
    RV_EXPORT void __tsan_atomic##bits##_store(volatile a##bits *object, a##bits value, int order) {        \
        bool controlled = before(object, sizeof *object, RV_OP_ATOMIC_STORE, order, PC());                  \
        a##bits old = LOAD(object);                                                                         \
        while (!SWAP(object, &old, value)) {}                                                               \
        if (controlled)                                                                                     \
            after(object, sizeof *object, RV_OP_ATOMIC_STORE, PC(), (uint64_t)old, (uint64_t)value, false,  \
                  order);                                                                                   \
    }                                                                                                       \
    UPDATE(bits, exchange, LOAD, SWAP, operand)                                                             \
    UPDATE(bits, fetch_add, LOAD, SWAP, old + operand)                                                      \
    UPDATE(bits, fetch_sub, LOAD, SWAP, old - operand)                                                      \
    UPDATE(bits, fetch_and, LOAD, SWAP, old &operand)                                                       \
    UPDATE(bits, fetch_or, LOAD, SWAP, old | operand)                                                       \
    UPDATE(bits, fetch_xor, LOAD, SWAP, old ^ operand)                                                      \
    UPDATE(bits, fetch_nand, LOAD, SWAP, ~(old & operand))                                                  \
    COMPARE(bits, compare_exchange_strong, SWAP)                                                            \
    COMPARE(bits, compare_exchange_weak, SWAP)                                                              \
    RV_EXPORT a##bits __tsan_atomic##bits##_compare_exchange_val(                                           \
        volatile a##bits *object, a##bits expected, a##bits desired, int order, int failure_order);         \
    RV_EXPORT a##bits __tsan_atomic##bits##_compare_exchange_val(                                           \
        volatile a##bits *object, a##bits expected, a##bits desired, int order, int failure_order) {        \
                                                                                                            \
        bool controlled = before(object, sizeof *object, RV_OP_ATOMIC_CAS, order, PC());                    \
        bool done = SWAP(object, &expected, desired);                                                       \
        if (controlled)                                                                                     \
            after(object, sizeof *object, RV_OP_ATOMIC_CAS, PC(), (uint64_t)expected,                       \
                  done ? (uint64_t)desired : (uint64_t)expected, !done, done ? order : failure_order);      \
        return expected;                                                                                    \
    }

ATOMIC(8, LOAD_NATIVE, IF_NATIVE)
ATOMIC(16, LOAD_NATIVE, IF_NATIVE)
ATOMIC(32, LOAD_NATIVE, IF_NATIVE)
ATOMIC(64, LOAD_NATIVE, IF_NATIVE)
ATOMIC(128, LOAD_128, IF_128)

RV_EXPORT void __tsan_atomic_thread_fence(int order);
RV_EXPORT void __tsan_atomic_thread_fence(int order) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!rv_passive()) rv_watch(RV_STEP_FENCE, NULL, 0, order_of(order), PC());
}
RV_EXPORT void __tsan_atomic_signal_fence(int order);
RV_EXPORT void __tsan_atomic_signal_fence(int order) { (void)order; }
