#include "lru.h"

#include "../../drive.h"

static void get(const drive_call *call) {
    int value = 0;
    if (lru_get(call->subject, drive_number(call, 0), &value)) *call->last = value;
}
static void peek(const drive_call *call) {
    int value = 0;
    if (lru_peek(call->subject, drive_number(call, 0), &value)) *call->last = value;
}
static void put(const drive_call *call) {
    lru_put(call->subject, drive_number(call, 0), drive_number(call, 1));
}
static void remove_key(const drive_call *call) { lru_remove(call->subject, drive_number(call, 0)); }
static void clear(const drive_call *call) { lru_clear(call->subject); }
static void oldest(const drive_call *call) {
    int key = 0;
    if (lru_oldest(call->subject, &key)) *call->last = key;
}
static void size(const drive_call *call) { *call->last = (long)lru_size(call->subject); }
static void capacity(const drive_call *call) { *call->last = (long)lru_capacity(call->subject); }
static void resize(const drive_call *call) { lru_resize(call->subject, (size_t)drive_number(call, 0)); }
static void rate(const drive_call *call) { *call->last = lru_hit_rate(call->subject); }
static void evictions(const drive_call *call) { *call->last = (long)lru_evictions(call->subject); }

const drive_command drive_commands[] = {
    {"get", 1, get},           {"peek", 1, peek},           {"put", 2, put},
    {"remove", 1, remove_key}, {"clear", 0, clear},         {"oldest", 0, oldest},
    {"size", 0, size},         {"capacity", 0, capacity},   {"resize", 1, resize},
    {"rate", 0, rate},         {"evictions", 0, evictions}, {NULL, 0, NULL},
};

void *drive_begin(void) { return lru_new(3); }
void drive_end(void *subject) { lru_free(subject); }
