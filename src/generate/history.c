#include "generate/history.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "report/text.h"

void rv_bytes_set(struct rv_bytes *bytes, const void *data, uint32_t size) {
    if (size != bytes->size) bytes->data = rv_text_realloc(bytes->data, size, 1);
    if (size) memcpy(bytes->data, data, size);
    bytes->size = size;
}

void rv_bytes_free(struct rv_bytes *bytes) {
    free(bytes->data);
    *bytes = (struct rv_bytes){0};
}

bool rv_bytes_equal(const struct rv_bytes *one, const struct rv_bytes *other) {
    return one->size == other->size && (one->size == 0 || memcmp(one->data, other->data, one->size) == 0);
}

uint32_t rv_history_add(struct rv_history *history, enum rv_phase phase, uint32_t thread, uint32_t method,
                        const void *arguments, uint32_t size) {
    if (history->count == RV_MAX_CALLS) return RV_MAX_CALLS;
    struct rv_call *call = &history->calls[history->count];
    *call = (struct rv_call){.phase = phase, .thread = thread, .method = method};
    rv_bytes_set(&call->arguments, arguments, size);
    return history->count++;
}

void rv_history_free(struct rv_history *history) {
    for (uint32_t i = 0; i < history->count; i++) {
        rv_bytes_free(&history->calls[i].arguments);
        rv_bytes_free(&history->calls[i].result);
    }
    *history = (struct rv_history){0};
}

void rv_history_restart(struct rv_history *history) {
    for (uint32_t i = 0; i < history->count; i++) history->calls[i].state = RV_CALL_ABSENT;
    history->now = 0;
    history->stuck = false;
}

void rv_history_call(struct rv_history *history, uint32_t call) {
    assert(call < history->count && history->calls[call].state == RV_CALL_ABSENT);
    history->calls[call].state = RV_CALL_PENDING;
    history->calls[call].called = ++history->now;
}

void rv_history_return(struct rv_history *history, uint32_t call, const void *result, uint32_t size) {
    assert(call < history->count && history->calls[call].state == RV_CALL_PENDING);
    history->calls[call].state = RV_CALL_RETURNED;
    history->calls[call].returned = ++history->now;
    rv_bytes_set(&history->calls[call].result, result, size);
}

const char *rv_history_wrong(const struct rv_history *history) {
    if (history->count > RV_MAX_CALLS) return "more calls than there can be";
    for (uint32_t i = 0; i < history->count; i++) {
        const struct rv_call *call = &history->calls[i];
        if (call->state > RV_CALL_RETURNED) return "a call in no state";
        if (call->state == RV_CALL_ABSENT) continue;
        if (call->state == RV_CALL_RETURNED && call->returned < call->called)
            return "a call returns before it is made";
        for (uint32_t j = 0; j < history->count; j++) {
            const struct rv_call *earlier = &history->calls[j];
            if (!rv_history_ordered(history, j, i)) continue;
            if (earlier->state != RV_CALL_RETURNED)
                return "a call is made before the one before it has returned";
            if (earlier->returned > call->called) return "calls overlap that come one after the other";
        }
    }
    return NULL;
}
