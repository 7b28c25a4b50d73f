/* The compilers' hooks for plain accesses and function calls (ThreadSanitizer's ABI).
 *
 * Not a scheduling point: accesses to the thread's own stack as long as no other thread has been seen there, and
 * sites that have never been in conflict. Volatile accesses always are points: programs use them to
 * communicate. A hook comes before its access; between the return of the hook and the access nothing else runs.
 */
#include "runtime/access.h"
#include "runtime/cover.h"
#include "runtime/shadow.h"

#define PC() ((uintptr_t)__builtin_return_address(0))

/* A plain access by compiled code, not to the own stack or not filtered there. */
static __attribute__((noinline)) void access_slow(struct rv_fiber *self, uintptr_t address, size_t size,
                                                  enum rv_op op, bool always, uintptr_t pc) {
    bool write = op == RV_OP_WRITE;
    if (RV_UNLIKELY(self->unfilled)) rv_trace_fill(self);
    rv_access_check(address, size, write, pc);
    bool maybe_stack = !rv_heap_contains(address) && !rv_own_stack(self, address);
    if (maybe_stack) rv_access_stack(address, write, pc);
    struct rv_site *site = rv_site_of(pc);
    bool shared = always || (site->flags & RV_SITE_CONFLICT);
    if (rv_access_is_point(self, site) || (always && !rv_engine.replaying)) {
        rv_access_point(op, address, size, pc);
        rv_access_check(address, size, write, pc); /* somebody may have freed it meanwhile, or returned */
        if (maybe_stack) rv_access_stack(address, write, pc);
    } else {
        self->step++;
    }
    rv_watch_plain(self, address, size, write, site, pc);
    uint64_t value = rv_peek(address, size, write);
    bool own = rv_shadow_access(address, size, write, site, self->id);
    rv_cover_plain(self, address, size, write, site);
    if (!own || always)
        rv_spin_note(self, address * 31 + pc + value * 0xbf58476d1ce4e5b9u,
                     write    ? 0
                     : shared ? rv_engine.await_weight
                              : 1);
    if (write) rv_effect(self);
    if (rv.tracing)
        rv_trace_memory(self, op, address, size, pc, value, write || size > 8 ? 0 : RV_EVENT_VALUE);
}

/* Memory that needs a closer look: the runtime's window (heap, stacks) and the main stack. */
static inline bool is_special(uintptr_t address) {
    const struct rv_fiber *main_fiber = rv.fibers[0];
    return rv_is_own(address) || address - main_fiber->stack_low < main_fiber->stack_size;
}

static inline bool is_live_heap(uintptr_t address, size_t size) {
    return rv_heap_contains(address) && address + size - RV_HEAP_BASE <= rv_heap()->used[RV_PART_ARENA] &&
           rv_heap_accessible(address, size);
}

/* The usual case, without a call: one granule of ordinary memory or of a live block, no point here, no trace. False: it
 * is not that. */
static inline __attribute__((always_inline)) bool touch_fast(struct rv_fiber *self, uintptr_t address,
                                                             size_t size, bool write, uintptr_t pc) {
    if (RV_UNLIKELY(rv.tracing || (address & 7) + size > 8)) return false;
    if (is_special(address) && !is_live_heap(address, size)) return false;
    struct rv_site_entry *entry = rv_site_entry_of(pc);
    struct rv_site *site = entry->site;
    if (rv_access_is_point(self, site)) return false;
    struct rv_cells *chunk = rv_shadow_find(address >> RV_SHADOW_SHIFT);
    if (RV_UNLIKELY(!chunk)) return false;
    self->step++;
    uint64_t bytes = ((1u << size) - 1) << (address & 7);
    bool own = rv_shadow_touch(&chunk[address >> 3 & (RV_SHADOW_CELLS - 1)], address & ~(uintptr_t)7, bytes,
                               write, site, self->id);
    rv_watch_plain(self, address, size, write, site, pc);
    rv_cover_plain(self, address, size, write, site);
    if (write) rv_effect(self);
    if (entry->last != address) { /* it walks through memory: that is no way of waiting */
        entry->last = address;
        self->fruitless = 0;
        rv_engine.fruitless = 0;
    } else if (!own) {
        rv_spin_note(self, address * 31 + pc + rv_peek(address, size, write) * 0xbf58476d1ce4e5b9u, !write);
    }
    return true;
}

static inline __attribute__((always_inline)) void touch(const void *start, size_t size, enum rv_op op,
                                                        bool always, uintptr_t pc) {
    if (rv.mode != RV_CONTROLLED || RV_UNLIKELY(rv.internal)) {
        if (rv.mode == RV_SINGLE && !rv.internal) {
            rv_access_check((uintptr_t)start, size, op == RV_OP_WRITE, pc);
            rv_site_before(pc);
        }
        return;
    }
    struct rv_fiber *self = rv.current;
    uintptr_t address = (uintptr_t)start;
    if (RV_LIKELY(rv_own_stack(self, address) && !self->stack_escaped && self->step != self->stop_at)) {
        if (RV_UNLIKELY(self->unfilled)) rv_trace_fill(self);
        self->step++;
        return;
    }
    if (!always && size <= 8 && touch_fast(self, address, size, op == RV_OP_WRITE, pc)) return;
    access_slow(self, address, size, op, always, pc);
}

#define PLAIN(name, size, op, always)   \
    RV_EXPORT void name(void *address); \
    RV_EXPORT void name(void *address) { touch(address, size, op, always, PC()); }
#define BY_SIZE(prefix, suffix, op, always) \
    PLAIN(prefix##1##suffix, 1, op, always) \
    PLAIN(prefix##2##suffix, 2, op, always) \
    PLAIN(prefix##4##suffix, 4, op, always) \
    PLAIN(prefix##8##suffix, 8, op, always) \
    PLAIN(prefix##16##suffix, 16, op, always)

BY_SIZE(__tsan_read, , RV_OP_READ, false)
BY_SIZE(__tsan_write, , RV_OP_WRITE, false)
BY_SIZE(__tsan_read, _pc, RV_OP_READ, false)
BY_SIZE(__tsan_write, _pc, RV_OP_WRITE, false)
BY_SIZE(__tsan_unaligned_read, , RV_OP_READ, false)
BY_SIZE(__tsan_unaligned_write, , RV_OP_WRITE, false)
BY_SIZE(__tsan_volatile_read, , RV_OP_READ, true)
BY_SIZE(__tsan_volatile_write, , RV_OP_WRITE, true)
BY_SIZE(__tsan_unaligned_volatile_read, , RV_OP_READ, true)
BY_SIZE(__tsan_unaligned_volatile_write, , RV_OP_WRITE, true)

#define READ_WRITE(name, size)                          \
    RV_EXPORT void name(void *address);                 \
    RV_EXPORT void name(void *address) {                \
        touch(address, size, RV_OP_READ, false, PC());  \
        touch(address, size, RV_OP_WRITE, false, PC()); \
    }
READ_WRITE(__tsan_read_write1, 1)
READ_WRITE(__tsan_read_write2, 2)
READ_WRITE(__tsan_read_write4, 4)
READ_WRITE(__tsan_read_write8, 8)
READ_WRITE(__tsan_read_write16, 16)
READ_WRITE(__tsan_unaligned_read_write1, 1)
READ_WRITE(__tsan_unaligned_read_write2, 2)
READ_WRITE(__tsan_unaligned_read_write4, 4)
READ_WRITE(__tsan_unaligned_read_write8, 8)
READ_WRITE(__tsan_unaligned_read_write16, 16)

RV_EXPORT void __tsan_init(void);
RV_EXPORT void __tsan_init(void) {}

RV_EXPORT void __tsan_read_range(void *address, size_t size);
RV_EXPORT void __tsan_read_range(void *address, size_t size) { rv_access(address, size, false, PC()); }
RV_EXPORT void __tsan_write_range(void *address, size_t size);
RV_EXPORT void __tsan_write_range(void *address, size_t size) { rv_access(address, size, true, PC()); }

/* C++ objects: the pointer to the virtual table. */
RV_EXPORT void __tsan_vptr_update(void **pointer, void *value);
RV_EXPORT void __tsan_vptr_update(void **pointer, void *value) {
    if (*pointer != value) touch(pointer, sizeof *pointer, RV_OP_WRITE, false, PC());
}
RV_EXPORT void __tsan_vptr_read(void **pointer);
RV_EXPORT void __tsan_vptr_read(void **pointer) { touch(pointer, sizeof *pointer, RV_OP_READ, false, PC()); }

/* ---- the call stack ---- */

/* Frames at or below the present stack address were left by longjmp or an exception. */
static __attribute__((noinline)) void enter_slow(struct rv_fiber *self, uintptr_t sp, uintptr_t pc,
                                                 uintptr_t entry) {
    while (self->depth && self->frames[self->depth - 1].sp <= sp) {
        self->depth--;
        self->deeper = 0;
    }
    if (self->depth == RV_MAX_DEPTH)
        self->deeper++;
    else
        self->frames[self->depth++] = (struct rv_frame){pc, sp, entry};
}

RV_EXPORT void __tsan_func_entry(void *pc);
RV_EXPORT void __tsan_func_entry(void *pc) {
    if (rv.mode == RV_PASSIVE || rv.internal) return;
    struct rv_fiber *self = rv.current;
    uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
    uint32_t depth = self->depth;
    if (RV_UNLIKELY(rv_covering.on)) rv_cover_enter(self, PC());
    if (RV_UNLIKELY(rv.mode == RV_SINGLE)) rv_site_before((uintptr_t)pc);
    if (RV_UNLIKELY(depth >= RV_MAX_DEPTH || (depth && self->frames[depth - 1].sp <= sp))) {
        enter_slow(self, sp, (uintptr_t)pc, PC());
        return;
    }
    self->frames[depth] = (struct rv_frame){(uintptr_t)pc, sp, PC()};
    self->depth = depth + 1;
}

RV_EXPORT void __tsan_func_exit(void *unused);
RV_EXPORT void __tsan_func_exit(void *unused) {
    (void)unused;
    if (rv.mode == RV_PASSIVE || rv.internal) return;
    struct rv_fiber *self = rv.current;
    if (RV_UNLIKELY(self->stack_escaped)) rv_observe_stack(self, true);
    if (RV_UNLIKELY(self->deeper))
        self->deeper--;
    else if (self->depth)
        self->depth--;
}
