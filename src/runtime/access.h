/* Memory accesses: what every hook of one does, inline. The order is the cost: the thread's own stack first (most
 * accesses of compiled code), then the heap check, the site, fairness and the conflict history.
 */
#ifndef RV_RUNTIME_ACCESS_H
#define RV_RUNTIME_ACCESS_H

#include "runtime/engine.h"
#include "runtime/heap_internal.h"
#include "runtime/reserve.h"
#include "runtime/watch.h"

/* Fails the execution unless the access is to a stack. */
void rv_access_check_slow(uintptr_t address, size_t size, bool write, uintptr_t pc);
/* An address in somebody else's stack, or in the own one once it has escaped: checks that it is alive. */
void rv_access_stack(uintptr_t address, bool write, uintptr_t pc);

static inline bool rv_own_stack(const struct rv_fiber *self, uintptr_t address) {
    return address - self->stack_low < self->stack_size;
}

/* In the runtime's window of addresses the program has its heap blocks and its stacks, nothing else. */
static inline void rv_access_check(uintptr_t address, size_t size, bool write, uintptr_t pc) {
    if (!rv_is_own(address)) return;
    if (RV_LIKELY(rv_heap_contains(address) &&
                  address + size - RV_HEAP_BASE <= rv_heap()->used[RV_PART_ARENA] &&
                  rv_heap_accessible(address, size)))
        return;
    rv_access_check_slow(address, size, write, pc);
}

/* The first bytes of what is there now. If the address is bad, crash.c says what the program was about to do. */
static inline uint64_t rv_peek(uintptr_t address, size_t size, bool write) {
    uint64_t value;
    rv.looking = write ? RV_LOOKING_TO_WRITE : RV_LOOKING_TO_READ;
    switch (size) {
    case 1: value = *(const volatile uint8_t *)address; break;
    case 2: value = *(const volatile uint16_t *)address; break;
    case 4: value = *(const volatile uint32_t *)address; break;
    default: value = *(const volatile uint64_t *)address; break;
    }
    rv.looking = RV_LOOKING_NOT;
    return value;
}

/* The scheduling point of a memory operation, in controlled mode. */
void rv_access_point(enum rv_op op, uintptr_t address, size_t size, uintptr_t pc);

/* Whether this access must be a scheduling point. */
static inline bool rv_access_is_point(struct rv_fiber *self, const struct rv_site *site) {
    if (self->step == self->stop_at || self->spinning) return true;
    if (!(site->flags & rv_engine.point_flag) || rv_engine.replaying) return false;
    return !rv_engine.patience || !rv_schedule_pass(self);
}

#endif
