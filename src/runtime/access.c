#include "runtime/access.h"

#include "runtime/cover.h"

static _Noreturn void fail_heap(uintptr_t address, size_t size, bool write, uintptr_t pc) {
    const char *verb = write ? "write of" : "read of";
    struct rv_heap_block block;
    rv_observe_bad_access(address, pc);
    rv_schedule_failure(pc);
    rv.current->pending.site = pc;
    rv.current->pending.op = write ? RV_OP_WRITE : RV_OP_READ;
    rv.current->pending.object = (const void *)address;
    if (!rv_heap_find(address, &block))
        rv_fail_memory(RV_KIND_HEAP_OVERFLOW, address, "%s %zu byte(s) in the heap, outside every block",
                       verb, size);
    if (block.freed)
        rv_fail_memory(RV_KIND_USE_AFTER_FREE, address, "%s %zu byte(s) of freed memory", verb, size);
    size_t offset = address - block.address;
    if (offset >= block.size)
        rv_fail_memory(RV_KIND_HEAP_OVERFLOW, address, "%s %zu byte(s), %zu behind the end of a block of %zu",
                       verb, size, offset - block.size, block.size);
    rv_fail_memory(RV_KIND_HEAP_OVERFLOW, address,
                   "%s %zu byte(s) at offset %zu of a block of %zu: beyond its end", verb, size, offset,
                   block.size);
}

void rv_access_check_slow(uintptr_t address, size_t size, bool write, uintptr_t pc) {
    if (address - RV_STACK_BASE < RV_STACK_END - RV_STACK_BASE) return;
    if (rv_heap_contains(address)) fail_heap(address, size, write, pc);
    rv_fail_at(RV_KIND_SEGV, pc, address, true,
               write ? "write to memory that the program does not have (ravel's own)"
                     : "read of memory that the program does not have (ravel's own)");
}

void rv_access_stack(uintptr_t address, bool write, uintptr_t pc) {
    bool over = false;
    struct rv_fiber *owner = rv_stack_owner(address, &over);
    if (!owner || owner == rv.current) return;
    rv_observe_stack(owner, false);
    if (over) {
        rv.current->pending.site = pc;
        rv_fail_memory(RV_KIND_USE_AFTER_RETURN, address,
                       "%s the stack of thread %u, in a function that has returned",
                       write ? "write to" : "read of", owner->id);
    }
    if (!owner->stack_escaped) rv_stack_escape(owner);
}

void rv_access_point(enum rv_op op, uintptr_t address, size_t size, uintptr_t pc) {
    struct rv_pending pending = RV_PENDING(op, (const void *)address, pc);
    pending.size = (uint32_t)(size < UINT32_MAX ? size : UINT32_MAX);
    (void)rv_schedule(&pending);
    if (rv_engine.strategy->observe && !(rv_op_flags[op] & RV_OPF_ATOMIC)) rv_observe(&pending, false);
}

/* A range touched by a hook: one scheduling point, whatever its size. */
void rv_access(const void *start, size_t size, bool write, uintptr_t pc) {
    if (rv_passive() || size == 0) return;
    uintptr_t address = (uintptr_t)start;
    rv_access_check(address, size, write, pc);
    if (rv.mode == RV_SINGLE) rv_site_before(pc);
    if (rv.mode != RV_CONTROLLED) return;
    struct rv_fiber *self = rv.current;
    if (RV_UNLIKELY(self->unfilled)) rv_trace_fill(self);
    if (rv_own_stack(self, address) && !self->stack_escaped && self->step != self->stop_at) {
        self->step++;
        return;
    }
    rv_access_stack(address, write, pc);
    struct rv_site *site = rv_site_of(pc);
    enum rv_op op = write ? RV_OP_WRITE : RV_OP_READ;
    if (rv_access_is_point(self, site)) {
        rv_access_point(op, address, size, pc);
        rv_access_check(address, size, write, pc); /* somebody may have freed it meanwhile, or returned */
        rv_access_stack(address, write, pc);
    } else {
        self->step++;
    }
    if (!self->unwatched) rv_watch_plain(self, address, size, write, site, pc);
    uint64_t first = rv_peek(address, 1, write);
    bool own = rv_shadow_access(address, size, write, site, self->id);
    rv_cover_plain(self, address, size, write, site);
    if (!own) rv_spin_note(self, address * 31 + pc + first, !write);
    if (write) rv_effect(self);
    if (rv.tracing) rv_trace_memory(self, op, address, size, pc, 0, 0);
    self->unfilled = 0; /* the value of a range is not shown */
}
