#include "runtime/names.h"

#include "runtime/engine.h"
#include "runtime/fiber.h"
#include "runtime/heap.h"
#include "runtime/reserve.h"

/* A name is the kind, who, and the byte within. */
#define KIND_BLOCK  (UINT64_C(0x8) << 60)
#define KIND_STACK  (UINT64_C(0x9) << 60)
#define KIND_THREAD (UINT64_C(0xa) << 60)
#define KIND_WAKE   (UINT64_C(0xb) << 60)
#define WHO_BITS    36
#define BYTE_BITS   24

enum { MOST_BLOCKS = 1 << 22 };
static uint64_t *block_names; /* by number; 0: from before the first execution, or too many */

void rv_names_init(void) { block_names = rv_reserve(MOST_BLOCKS * sizeof *block_names); }

static uint64_t named(uint64_t kind, uint64_t who, uint64_t byte) {
    const uint64_t most = (UINT64_C(1) << WHO_BITS) - 1;
    return kind | (who & most) << BYTE_BITS | (byte & ((UINT64_C(1) << BYTE_BITS) - 1));
}

void rv_name_block(const void *block) {
    if (rv.mode != RV_CONTROLLED || !rv_engine.names_objects || !block_names) return;
    uint32_t offset = 0, number = rv_heap_number((uintptr_t)block, &offset);
    if (number >= MOST_BLOCKS) return;
    uint64_t count = ++rv.current->blocks;
    uint64_t who = (rv.current->lineage + count * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    block_names[number] = named(KIND_BLOCK, who >> (64 - WHO_BITS), 0);
}

static uint64_t heap_name(uintptr_t address) {
    uint32_t offset = 0, number = rv_heap_number(address, &offset);
    if (!block_names || number >= MOST_BLOCKS || !block_names[number]) return address;
    return named(block_names[number], 0, offset);
}

static uint64_t stack_name(uintptr_t address) {
    const struct rv_fiber *fiber = rv_slot_owner(address);
    if (!fiber) return address;
    return named(KIND_STACK, fiber->lineage, address - (fiber->stack_low + fiber->stack_size));
}

static bool is_thread(enum rv_op op, uintptr_t address) {
    bool about_threads = op == RV_OP_CREATE || op == RV_OP_JOIN || op == RV_OP_EXIT || op == RV_OP_DETACH ||
                         op == RV_OP_CANCEL || op == RV_OP_TESTCANCEL || op == RV_OP_KILL;
    return about_threads && address && address < rv.fiber_count;
}

uint64_t rv_object_name(enum rv_op op, const void *object) {
    uintptr_t address = (uintptr_t)object;
    if (!rv_engine.names_objects) return address;
    if (is_thread(op, address)) return named(KIND_THREAD, rv.fibers[address]->lineage, 0);
    if (rv_heap_contains(address)) return heap_name(address);
    if (address - RV_STACK_BASE < RV_STACK_END - RV_STACK_BASE) return stack_name(address);
    return address;
}

uint64_t rv_stack_name(const struct rv_fiber *fiber) {
    return named(KIND_STACK, fiber->lineage, 0); /* no byte of the stack has this number */
}

uint64_t rv_wake_name(const struct rv_fiber *fiber) { return named(KIND_WAKE, fiber->lineage, 0); }

void rv_name_context(struct rv_fiber *self) {
    uint64_t hash = 0;
    uint32_t count = 0;
    for (uint32_t i = self->depth; i-- > 0 && count < rv_engine.stack_depth; count++) {
        self->context_frames[count] = rv_site_of(self->frames[i].pc)->code;
        hash = (hash ^ self->context_frames[count]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    self->context_hash = hash;
    self->context_count = count;
}
