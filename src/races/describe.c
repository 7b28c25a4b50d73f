#include "races/describe_private.h"

#include <stdlib.h>

#include "report/printer.h"
#include "report/stacks.h"
#include "report/text.h"

struct rv_describer *rv_describer_open(const struct rv_trace *trace, const struct rv_memory *memory,
                                       struct rv_symboliser *symbols) {
    struct rv_describer *describer = rv_text_alloc(1, sizeof *describer);
    describer->trace = trace;
    describer->memory = memory;
    describer->symbols = symbols;
    for (uint32_t i = 0; i < RV_TRACE_THREADS; i++)
        describer->threads[i] = (struct rv_thread_records){RV_NO_RECORD, RV_NO_RECORD};
    for (uint32_t i = 0; i < trace->record_count; i++) {
        const struct rv_step *step = &trace->records[i].step;
        if (step->kind == RV_STEP_CREATE) describer->threads[step->address].created = i;
        if (step->kind == RV_STEP_START && describer->threads[step->thread].started == RV_NO_RECORD)
            describer->threads[step->thread].started = i;
    }
    rv_lock_history_init(&describer->locks, trace);
    return describer;
}

void rv_describer_close(struct rv_describer *describer) {
    if (!describer) return;
    rv_lock_history_free(&describer->locks);
    free(describer);
}

struct rv_stack_text rv_describer_stack(struct rv_describer *describer, uint32_t record) {
    rv_code frames[RV_MAX_FRAMES];
    frames[0] = describer->trace->records[record].step.site;
    unsigned count = 1 + rv_trace_stack(describer->trace, record, frames + 1, RV_MAX_FRAMES - 1);
    return rv_stack_of(describer->symbols, frames, count, true);
}

/* --- threads --- */

/* The function that the location is in; "" if unknown. */
static char *function_at(struct rv_describer *describer, rv_code code, bool is_return) {
    struct rv_location at;
    if (!code || code == RV_CODE_UNKNOWN || !rv_symbolise_code(describer->symbols, code, is_return, &at, 1))
        return rv_text_copy("");
    char *name = rv_text_copy(at.function);
    rv_location_free(&at);
    return name;
}

/* That of the function it begins with; else, of the outermost in the stack of something that it did. */
static char *thread_name(struct rv_describer *describer, uint32_t thread, const struct rv_stack_text *stack) {
    if (thread == 0) return rv_text_copy("main");
    uint32_t started = describer->threads[thread].started;
    char *name = function_at(
        describer, started == RV_NO_RECORD ? 0 : describer->trace->records[started].step.site, false);
    for (unsigned i = stack ? stack->count : 0; i-- > 0 && !*name;)
        if (rv_is_own_code(&stack->frames[i])) rv_text_set(&name, rv_text_copy(stack->frames[i].function));
    return name;
}

char *rv_describer_thread(struct rv_describer *describer, uint32_t thread) {
    char *name = thread_name(describer, thread, NULL);
    char *text = rv_text_format(*name ? "thread %u (%s)" : "thread %u", thread, name);
    free(name);
    return text;
}

static struct rv_race_thread describe_thread(struct rv_describer *describer, uint32_t number,
                                             const struct rv_stack_text *stack) {
    struct rv_race_thread thread = {
        .id = number, .name = thread_name(describer, number, stack), .creator = RV_NO_THREAD};
    uint32_t created = describer->threads[number].created;
    if (created == RV_NO_RECORD) return thread;
    thread.creator = describer->trace->records[created].step.thread;
    thread.created = rv_describer_stack(describer, created);
    return thread;
}

/* --- races --- */

/* The bytes that both touch. What is freed is a whole block: the other access tells more. */
static void common_bytes(const struct rv_step *a, const struct rv_step *b, uint64_t *address,
                         uint64_t *size) {
    uint64_t begin = a->address > b->address ? a->address : b->address;
    uint64_t a_last = a->address + (a->size - 1), b_last = b->address + (b->size - 1);
    uint64_t last = a_last < b_last ? a_last : b_last;
    *address = begin;
    *size = a->size && b->size && begin <= last ? last - begin + 1 : 0;
}

static void describe_side(struct rv_describer *describer, uint32_t record, const struct rv_side_locks *locks,
                          struct rv_race_side *side) {
    const struct rv_step *step = &describer->trace->records[record].step;
    *side = (struct rv_race_side){.kind = step->kind, .size = step->size};
    if (rv_step_is_atomic(step->kind)) side->order = step->order;
    side->stack = rv_describer_stack(describer, record);
    side->thread = describe_thread(describer, step->thread, &side->stack);
    side->held = rv_text_alloc(locks->count, sizeof *side->held);
    side->held_count = locks->count;
    for (uint32_t i = 0; i < locks->count; i++) {
        const struct rv_lock_hold *hold = &locks->holds[i];
        side->held[i].object = rv_names_memory(describer, hold->lock.address, 0, record);
        side->held[i].acquired = rv_describer_stack(describer, hold->step);
    }
}

static struct rv_block_text *describe_block(struct rv_describer *describer, uint32_t block, uint64_t address,
                                            uint32_t access) {
    const struct rv_record *records = describer->trace->records;
    const struct rv_step *from = &records[block].step;
    if (address - from->address > UINT32_MAX) return NULL;
    struct rv_block_text *text = rv_text_alloc(1, sizeof *text);
    text->offset = (uint32_t)(address - from->address);
    text->description = rv_names_memory(describer, address, 0, access);
    text->size = from->size;
    text->alloc_thread = from->thread;
    text->free_thread = RV_NO_THREAD;
    text->allocated = rv_describer_stack(describer, block);
    uint32_t freed = rv_ranges_first(&describer->memory->freed, address, block);
    if (freed == RV_NO_RECORD || freed >= access) return text;
    text->freed = true;
    text->free_thread = records[freed].step.thread;
    text->released = rv_describer_stack(describer, freed);
    return text;
}

static void mention_locks(struct rv_describer *describer, uint32_t record, struct rv_side_locks *locks) {
    locks->count = rv_lock_history_at(&describer->locks, record, locks->holds);
    for (uint32_t i = 0; i < locks->count; i++)
        rv_names_mention(describer, locks->holds[i].lock.address, record);
}

void rv_describe_race(struct rv_describer *describer, uint32_t first, uint32_t second, bool happened,
                      struct rv_race_text *race) {
    const struct rv_record *records = describer->trace->records;
    struct rv_side_locks locks[2];
    uint64_t address, size;
    *race = (struct rv_race_text){0};
    common_bytes(&records[first].step, &records[second].step, &address, &size);
    rv_names_begin(describer);
    rv_names_mention(describer, address, second);
    mention_locks(describer, first, &locks[0]);
    mention_locks(describer, second, &locks[1]);
    race->variable = rv_names_memory(describer, address, size <= UINT32_MAX ? (unsigned)size : 0, second);
    uint32_t block = rv_names_block(describer, address, second);
    if (block != RV_NO_RECORD) race->block = describe_block(describer, block, address, second);
    describe_side(describer, first, &locks[0], &race->first);
    describe_side(describer, second, &locks[1], &race->second);
    race->why = rv_why(describer, first, second, happened, locks);
    race->file = rv_text_copy("");
    race->harm = rv_text_copy("");
    race->harm_file = rv_text_copy("");
}

/* --- deadlocks --- */

void rv_describe_deadlock(struct rv_describer *describer, const struct rv_lock_wait *waits, uint32_t count,
                          struct rv_deadlock_text *deadlock) {
    *deadlock = (struct rv_deadlock_text){.wait_count = count, .file = rv_text_copy("")};
    deadlock->waits = rv_text_alloc(count, sizeof *deadlock->waits);
    rv_names_begin(describer);
    for (uint32_t i = 0; i < count; i++) {
        rv_names_mention(describer, waits[i].held, waits[i].wanted_step);
        rv_names_mention(describer, waits[i].wanted, waits[i].wanted_step);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct rv_lock_wait *from = &waits[i];
        struct rv_deadlock_wait *to = &deadlock->waits[i];
        to->held = rv_names_memory(describer, from->held, 0, from->wanted_step);
        to->wanted = rv_names_memory(describer, from->wanted, 0, from->wanted_step);
        to->held_at = rv_describer_stack(describer, from->held_step);
        to->wanted_at = rv_describer_stack(describer, from->wanted_step);
        to->held_shared = from->held_shared;
        to->wanted_shared = from->wanted_shared;
        to->thread = describe_thread(describer, from->thread, &to->wanted_at);
    }
}
