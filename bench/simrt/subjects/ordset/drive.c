#include "ordset.h"

#include "../../drive.h"

static void add(const drive_call *call) { ordset_add(call->subject, drive_number(call, 0)); }
static void remove_key(const drive_call *call) { ordset_remove(call->subject, drive_number(call, 0)); }
static void remove_range(const drive_call *call) {
    ordset_remove_range(call->subject, drive_number(call, 0), drive_number(call, 1));
}
static void clear(const drive_call *call) { ordset_clear(call->subject); }
static void contains(const drive_call *call) {
    *call->last = ordset_contains(call->subject, drive_number(call, 0));
}
static void keep(const drive_call *call, bool found, int key) {
    if (found) *call->last = key;
}
static void first(const drive_call *call) {
    int key = 0;
    bool found = ordset_first(call->subject, &key);
    keep(call, found, key);
}
static void last(const drive_call *call) {
    int key = 0;
    bool found = ordset_last(call->subject, &key);
    keep(call, found, key);
}
static void floor_of(const drive_call *call) {
    int key = 0;
    bool found = ordset_floor(call->subject, drive_number(call, 0), &key);
    keep(call, found, key);
}
static void at(const drive_call *call) {
    int key = 0;
    bool found = ordset_at(call->subject, (size_t)drive_number(call, 0), &key);
    keep(call, found, key);
}
static void count(const drive_call *call) {
    *call->last = (long)ordset_count_range(call->subject, drive_number(call, 0), drive_number(call, 1));
}
static void size(const drive_call *call) { *call->last = (long)ordset_size(call->subject); }
static void height(const drive_call *call) { *call->last = ordset_height(call->subject); }
static void lookups(const drive_call *call) { *call->last = (long)ordset_lookups(call->subject); }

const drive_command drive_commands[] = {
    {"add", 1, add},         {"remove", 1, remove_key}, {"cut", 2, remove_range}, {"clear", 0, clear},
    {"has", 1, contains},    {"first", 0, first},       {"last", 0, last},        {"floor", 1, floor_of},
    {"at", 1, at},           {"count", 2, count},       {"size", 0, size},        {"height", 0, height},
    {"lookups", 0, lookups}, {NULL, 0, NULL},
};

void *drive_begin(void) { return ordset_new(); }
void drive_end(void *subject) { ordset_free(subject); }
