#include "map.h"

#include "../../drive.h"

static const char *value_of(const drive_call *call, int index) {
    return strcmp(call->argument[index], "null") == 0 ? NULL : call->argument[index];
}

static void put(const drive_call *call) { map_put(call->subject, call->argument[0], value_of(call, 1)); }
static void put_absent(const drive_call *call) {
    map_put_absent(call->subject, call->argument[0], value_of(call, 1));
}
static void get(const drive_call *call) {
    char buffer[16];
    *call->last = map_get(call->subject, call->argument[0], buffer, sizeof buffer);
}
static void remove_key(const drive_call *call) { map_remove(call->subject, call->argument[0]); }
static void clear(const drive_call *call) { map_clear(call->subject); }
static void contains_key(const drive_call *call) {
    *call->last = map_contains_key(call->subject, call->argument[0]);
}
static void contains_value(const drive_call *call) {
    *call->last = map_contains_value(call->subject, value_of(call, 0));
}
static void size(const drive_call *call) { *call->last = (long)map_size(call->subject); }
static void changes(const drive_call *call) { *call->last = (long)map_changes(call->subject); }
static void longest(const drive_call *call) { *call->last = (long)map_longest(call->subject); }

const drive_command drive_commands[] = {
    {"put", 2, put},
    {"absent", 2, put_absent},
    {"get", 1, get},
    {"remove", 1, remove_key},
    {"clear", 0, clear},
    {"haskey", 1, contains_key},
    {"hasvalue", 1, contains_value},
    {"size", 0, size},
    {"changes", 0, changes},
    {"longest", 0, longest},
    {NULL, 0, NULL},
};

void *drive_begin(void) { return map_new(); }
void drive_end(void *subject) { map_free(subject); }
