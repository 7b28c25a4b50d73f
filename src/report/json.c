#include <stdlib.h>
#include <string.h>

#include "report/json_parts.h"
#include "report/printer.h"
#include "report/race.h"
#include "report/text.h"

static void set(json_t *object, const char *key, json_t *value) { json_object_set_new(object, key, value); }

json_t *rv_json_text(const char *text) {
    char *valid = rv_text_utf8(text);
    json_t *value = json_string(valid);
    free(valid);
    return value;
}

json_t *rv_json_number(uint64_t value) {
    return json_integer(value < INT64_MAX ? (json_int_t)value : INT64_MAX);
}

json_t *rv_json_thread_number(uint32_t thread) {
    return thread == RV_NO_THREAD ? json_null() : json_integer(thread);
}

json_t *rv_location_json(const struct rv_location *at) {
    json_t *object = json_object();
    set(object, "function", rv_json_text(at->function));
    set(object, "file", rv_json_text(at->file));
    set(object, "line", json_integer(at->line));
    if (at->line == 0 && *at->module) {
        set(object, "module", rv_json_text(at->module));
        set(object, "offset", rv_json_number(at->offset));
    }
    return object;
}

json_t *rv_json_stack(const struct rv_stack_text *stack) {
    json_t *array = json_array();
    for (unsigned i = 0; i < stack->count; i++)
        json_array_append_new(array, rv_location_json(&stack->frames[i]));
    return array;
}

static json_t *thread(const struct rv_thread_text *from) {
    json_t *object = json_object(), *held = json_array();
    set(object, "id", json_integer(from->id));
    set(object, "name", rv_json_text(from->name));
    set(object, "state", rv_json_text(from->state));
    set(object, "stack", rv_json_stack(&from->stack));
    for (unsigned i = 0; i < from->held_count; i++) {
        json_t *lock = json_object();
        set(lock, "object", rv_json_text(from->held[i].object));
        set(lock, "acquired", rv_json_stack(&from->held[i].acquired));
        json_array_append_new(held, lock);
    }
    set(object, "held", held);
    return object;
}

static json_t *event(const struct rv_trace_event *from) {
    json_t *object = rv_location_json(from->at.line || !from->caller.line ? &from->at : &from->caller);
    set(object, "thread", json_integer(from->thread));
    set(object, "operation", rv_json_text(rv_op_names[from->op]));
    set(object, "object", rv_json_text(from->object));
    set(object, "decisive", json_boolean(from->decisive));
    if (*from->note) set(object, "note", rv_json_text(from->note));
    return object;
}

json_t *rv_json_block(const struct rv_block_text *block) {
    json_t *object = json_object();
    set(object, "description", rv_json_text(block->description));
    set(object, "size", rv_json_number(block->size));
    set(object, "offset", json_integer(block->offset));
    set(object, "allocated_by", rv_json_thread_number(block->alloc_thread));
    set(object, "allocated", rv_json_stack(&block->allocated));
    if (block->freed) {
        set(object, "freed_by", rv_json_thread_number(block->free_thread));
        set(object, "freed", rv_json_stack(&block->released));
    }
    return object;
}

static json_t *cycle(const struct rv_failure *failure) {
    uint32_t threads[64];
    unsigned count = rv_failure_cycle(failure, threads, 64);
    json_t *array = json_array();
    for (unsigned i = 0; i < count; i++) {
        const struct rv_thread_text *waiter = rv_failure_thread(failure, threads[i]);
        const struct rv_lock_text *lock = rv_failure_held(failure, waiter->owner, waiter->object);
        const struct rv_location *waits_at = rv_stack_place(&waiter->stack);
        const struct rv_location *acquired = lock ? rv_stack_place(&lock->acquired) : NULL;
        json_t *edge = json_object();
        set(edge, "thread", json_integer(waiter->id));
        set(edge, "waits_for", rv_json_text(waiter->object));
        set(edge, "held_by", rv_json_thread_number(waiter->owner));
        if (waits_at) set(edge, "waits_at", rv_location_json(waits_at));
        if (acquired) set(edge, "acquired_at", rv_location_json(acquired));
        json_array_append_new(array, edge);
    }
    return array;
}

json_t *rv_failure_json(const struct rv_failure *failure, unsigned id) {
    json_t *object = json_object(), *threads = json_array(), *decisive = json_array();
    set(object, "id", json_integer(id));
    set(object, "kind", rv_json_text(rv_kind_names[failure->kind]));
    set(object, "message", rv_json_text(failure->message));
    set(object, "first_schedule", rv_json_number(failure->first_schedule));
    set(object, "count", rv_json_number(failure->count));
    set(object, "preemptions", json_integer(failure->preemptions));
    set(object, "switches", json_integer(failure->switches));
    set(object, "timeouts", json_integer(failure->timeouts));
    if (failure->timeouts) set(object, "timeout_seconds", json_real((double)failure->timeout_ns / 1e9));
    set(object, "file", rv_json_text(failure->file));
    set(object, "thread", rv_json_thread_number(failure->thread));
    for (unsigned i = 0; i < failure->thread_count; i++)
        json_array_append_new(threads, thread(&failure->threads[i]));
    set(object, "threads", threads);
    for (unsigned i = 0; i < failure->event_count; i++) {
        if (failure->events[i].decisive) json_array_append_new(decisive, event(&failure->events[i]));
    }
    set(object, "decisive", decisive);
    if (failure->kind == RV_KIND_EXIT) set(object, "exit_status", json_integer(failure->exit_status));
    if (failure->kind == RV_KIND_DEADLOCK) set(object, "cycle", cycle(failure));
    if (failure->block) set(object, "memory", rv_json_block(failure->block));
    if (failure->race) set(object, "race", rv_race_json(failure->race));
    set(object, "output", rv_json_text(failure->output));
    return object;
}
