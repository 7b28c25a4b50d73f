#include "report/json_parts.h"
#include "report/printer.h"
#include "report/race.h"
#include "report/text.h"

#include <stdlib.h>

static void set(json_t *object, const char *key, json_t *value) { json_object_set_new(object, key, value); }

/* The same in every process, and more than a JSON number holds everywhere. */
static json_t *signature(uint64_t value) {
    char *text = rv_text_format("0x%llx", (unsigned long long)value);
    json_t *json = json_string(text);
    free(text);
    return json;
}

static json_t *thread(const struct rv_race_thread *from) {
    json_t *object = json_object();
    set(object, "id", json_integer(from->id));
    set(object, "name", rv_json_text(from->name));
    if (from->creator != RV_NO_THREAD) set(object, "created_by", json_integer(from->creator));
    if (from->created.count) set(object, "created", rv_json_stack(&from->created));
    return object;
}

static json_t *side(const struct rv_race_side *from) {
    static const struct rv_location unknown = {.function = "", .file = "", .source = "", .module = ""};
    const struct rv_location *at = rv_stack_place(&from->stack);
    json_t *object = rv_location_json(at ? at : &unknown), *locks = json_array();
    char *access = rv_race_access_words(from);
    set(object, "access", json_string(access));
    set(object, "kind", json_string(rv_race_kind_name(from)));
    if (rv_step_is_atomic(from->kind)) set(object, "order", json_string(rv_race_order_name(from)));
    set(object, "size", rv_json_number(from->size));
    set(object, "thread", thread(&from->thread));
    set(object, "stack", rv_json_stack(&from->stack));
    for (unsigned i = 0; i < from->held_count; i++) {
        json_t *lock = json_object();
        set(lock, "name", rv_json_text(from->held[i].object));
        set(lock, "acquired", rv_json_stack(&from->held[i].acquired));
        json_array_append_new(locks, lock);
    }
    set(object, "locks", locks);
    free(access);
    return object;
}

json_t *rv_race_json(const struct rv_race_text *race) {
    json_t *object = json_object();
    set(object, "status", json_string(rv_race_status_names[race->status]));
    set(object, "predicted", json_boolean(race->predicted));
    set(object, "standing", json_boolean(race->standing));
    set(object, "signature", signature(race->signature));
    set(object, "variable", rv_json_text(race->variable));
    set(object, "why", rv_json_text(race->why));
    set(object, "count", rv_json_number(race->count));
    set(object, "tries", json_integer(race->tries));
    set(object, "first", side(&race->first));
    set(object, "second", side(&race->second));
    if (race->block) set(object, "block", rv_json_block(race->block));
    if (*race->file) set(object, "file", rv_json_text(race->file));
    if (*race->harm) set(object, "harm", rv_json_text(race->harm));
    if (*race->harm_file) set(object, "harm_file", rv_json_text(race->harm_file));
    return object;
}

json_t *rv_deadlock_json(const struct rv_deadlock_text *deadlock) {
    json_t *object = json_object(), *threads = json_array();
    set(object, "status", json_string(rv_race_status_names[deadlock->status]));
    set(object, "predicted", json_boolean(deadlock->predicted));
    set(object, "signature", signature(deadlock->signature));
    set(object, "count", rv_json_number(deadlock->count));
    set(object, "tries", json_integer(deadlock->tries));
    for (unsigned i = 0; i < deadlock->wait_count; i++) {
        const struct rv_deadlock_wait *from = &deadlock->waits[i];
        json_t *wait = json_object();
        set(wait, "thread", thread(&from->thread));
        set(wait, "holds", rv_json_text(from->held));
        set(wait, "wants", rv_json_text(from->wanted));
        set(wait, "holds_shared", json_boolean(from->held_shared));
        set(wait, "wants_shared", json_boolean(from->wanted_shared));
        set(wait, "held_at", rv_json_stack(&from->held_at));
        set(wait, "wanted_at", rv_json_stack(&from->wanted_at));
        json_array_append_new(threads, wait);
    }
    set(object, "threads", threads);
    if (*deadlock->file) set(object, "file", rv_json_text(deadlock->file));
    return object;
}
