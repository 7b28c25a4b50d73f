/* Records with their stacks. A stack is a node of a tree, found by its parent and return address: the nodes lie in shared
 * memory, the hash table that finds them here. */
#include "runtime/watch_record.h"

#include "runtime/reserve.h"

enum { SLOTS = 1 << 21, PROBES = 64, DEPTH = 48 /* innermost calls that are kept */ };

struct place {
    uintptr_t pc;
    uint32_t parent;
    uint32_t node; /* 0: free */
};
static struct place *places;

static struct rv_recording *recording(void) { return rv_recording_of(rv.shared); }

bool rv_record_init(void) {
    places = rv_reserve(SLOTS * sizeof *places);
    return places != NULL;
}

void rv_record_begin(bool wanted) {
    if (!wanted) return;
    struct rv_recording *record = recording();
    record->count = 0;
    record->cut = 0;
    if (record->node_count == 0) record->node_count = 1;
}

/* A node for a call within its parent; where there is no room, the parent. */
static uint32_t node_of(uint32_t parent, uintptr_t pc) {
    uint64_t at = (pc ^ (uint64_t)parent << 40) * 0x9e3779b97f4a7c15u >> 43;
    struct rv_recording *record = recording();
    for (uint32_t i = 0; i < PROBES; i++, at++) {
        struct place *place = &places[at & (SLOTS - 1)];
        if (place->node && place->pc == pc && place->parent == parent) return place->node;
        if (place->node) continue;
        if (record->node_count >= RV_MAX_STACK_NODES) return parent;
        uint32_t node = (uint32_t)record->node_count++;
        record->nodes[node] = (struct rv_stack_node){.code = rv_code_of(pc), .parent = parent};
        *place = (struct place){pc, parent, node};
        return node;
    }
    return parent;
}

static uint32_t stack_of(const struct rv_fiber *fiber) {
    uint32_t node = 0, from = fiber->depth > DEPTH ? fiber->depth - DEPTH : 0;
    for (uint32_t i = from; i < fiber->depth; i++) node = node_of(node, fiber->frames[i].pc);
    return node;
}

/* Its number; where there is no room, that of the last place. */
static uint32_t add(const struct rv_step *step, uint32_t stack, uint64_t number) {
    struct rv_recording *record = recording();
    if (record->count >= RV_MAX_RECORDS) {
        record->cut = 1;
        return RV_MAX_RECORDS - 1;
    }
    record->records[record->count] =
        (struct rv_record){.step = *step, .stack = stack, .number = (uint32_t)number};
    return (uint32_t)record->count++;
}

uint32_t rv_record_of(const struct rv_fiber *fiber, const struct rv_step *step) {
    return add(step, stack_of(fiber), fiber->recorded_at ? fiber->recorded_at : fiber->step);
}

void rv_record_block(const struct rv_heap_block *block) {
    const struct rv_heap_origin *origin = &block->allocated;
    uint32_t node = 0;
    for (uint32_t i = origin->frame_count; i-- > 1;) node = node_of(node, origin->frames[i]);
    const struct rv_step step = {.address = block->address,
                                 .size = block->size,
                                 .site = origin->frame_count ? rv_code_of(origin->frames[0]) : 0,
                                 .kind = RV_STEP_ALLOC};
    (void)add(&step, node, 0);
}
