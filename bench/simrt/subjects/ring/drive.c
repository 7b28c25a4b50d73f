#include "ring.h"

#include "../../drive.h"

static void push(const drive_call *call) { ring_push(call->subject, drive_number(call, 0)); }
static void push_over(const drive_call *call) { ring_push_over(call->subject, drive_number(call, 0)); }
static void pop(const drive_call *call) {
    int item = 0;
    if (ring_pop(call->subject, &item)) *call->last = item;
}
static void peek(const drive_call *call) {
    int item = 0;
    if (ring_peek(call->subject, &item)) *call->last = item;
}
static void drain(const drive_call *call) {
    int items[4];
    *call->last = (long)ring_drain(call->subject, items, 4);
}
static void close_ring(const drive_call *call) { ring_close(call->subject); }
static void finish(const drive_call *call) { /* what is left is taken; nobody else waits */
    int item = 0;
    ring_close(call->subject);
    while (ring_pop_wait(call->subject, &item)) *call->last = item;
}
static void is_closed(const drive_call *call) { *call->last = ring_is_closed(call->subject); }
static void count(const drive_call *call) { *call->last = (long)ring_count(call->subject); }
static void high(const drive_call *call) { *call->last = (long)ring_high(call->subject); }
static void reset(const drive_call *call) { ring_reset_high(call->subject); }
static void dropped(const drive_call *call) { *call->last = (long)ring_dropped(call->subject); }

const drive_command drive_commands[] = {
    {"push", 1, push},   {"over", 1, push_over},   {"pop", 0, pop},       {"peek", 0, peek},
    {"drain", 0, drain}, {"close", 0, close_ring}, {"finish", 0, finish}, {"closed", 0, is_closed},
    {"count", 0, count}, {"high", 0, high},        {"reset", 0, reset},   {"dropped", 0, dropped},
    {NULL, 0, NULL},
};

void *drive_begin(void) { return ring_new(3); }
void drive_end(void *subject) { ring_free(subject); }
