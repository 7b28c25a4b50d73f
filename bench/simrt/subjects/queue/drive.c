#include "queue.h"

#include "../../drive.h"

static void put(const drive_call *call) { queue_put(call->subject, drive_number(call, 0)); }
static void put_two(const drive_call *call) {
    queue_put_many(call->subject, (int[]){drive_number(call, 0), drive_number(call, 1)}, 2);
}
static void keep(const drive_call *call, bool some, int item) {
    if (some) *call->last = item;
}
static void take(const drive_call *call) {
    int item = 0;
    bool some = queue_take(call->subject, &item);
    keep(call, some, item);
}
static void front(const drive_call *call) {
    int item = 0;
    bool some = queue_front(call->subject, &item);
    keep(call, some, item);
}
static void back(const drive_call *call) {
    int item = 0;
    bool some = queue_back(call->subject, &item);
    keep(call, some, item);
}
static void clear(const drive_call *call) { *call->last = (long)queue_clear(call->subject); }
static void empty(const drive_call *call) { *call->last = queue_is_empty(call->subject); }
static void length(const drive_call *call) { *call->last = (long)queue_length(call->subject); }
static void puts_(const drive_call *call) { *call->last = (long)queue_puts(call->subject); }
static void takes(const drive_call *call) { *call->last = (long)queue_takes(call->subject); }
static void reset(const drive_call *call) { queue_reset(call->subject); }

const drive_command drive_commands[] = {
    {"put", 1, put},    {"two", 2, put_two}, {"take", 0, take},   {"front", 0, front},
    {"back", 0, back},  {"clear", 0, clear}, {"empty", 0, empty}, {"length", 0, length},
    {"puts", 0, puts_}, {"takes", 0, takes}, {"reset", 0, reset}, {NULL, 0, NULL},
};

void *drive_begin(void) { return queue_new(); }
void drive_end(void *subject) { queue_free(subject); }
