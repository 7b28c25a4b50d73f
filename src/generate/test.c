#include "generate/test.h"

#include <stdlib.h>
#include <string.h>

#include "generate/harness.h"
#include "generate/results.h"

static uint32_t place_of(const struct rv_case_call *call) {
    return (uint32_t)call->phase << 8 | (call->phase == RV_PHASE_DURING ? call->thread : 0);
}

bool rv_test_add(struct rv_test *test, const struct rv_case_call *call) {
    if (test->count >= RV_CASE_CALLS) return false;
    uint32_t at = test->count++;
    for (; at > 0 && place_of(&test->calls[at - 1]) > place_of(call); at--)
        test->calls[at] = test->calls[at - 1];
    test->calls[at] = *call;
    return true;
}

void rv_test_remove(struct rv_test *test, uint32_t call) {
    memmove(test->calls + call, test->calls + call + 1, (test->count - call - 1) * sizeof *test->calls);
    test->count--;
}

bool rv_test_equal(const struct rv_test *one, const struct rv_test *other) {
    return one->objects == other->objects && one->threads == other->threads && one->count == other->count &&
           memcmp(one->made, other->made, one->objects * sizeof *one->made) == 0 &&
           memcmp(one->calls, other->calls, one->count * sizeof *one->calls) == 0;
}

void rv_test_history(const struct rv_test *test, struct rv_history *history) {
    for (uint32_t i = 0; i < test->count; i++) {
        const struct rv_case_call *call = &test->calls[i];
        (void)rv_history_add(history, (enum rv_phase)call->phase,
                             call->phase == RV_PHASE_DURING ? call->thread + 1u : 0, call->method,
                             call->arguments, sizeof call->arguments);
    }
}

bool rv_test_told(struct rv_history *history, const unsigned char *told, uint32_t size) {
    rv_history_restart(history);
    for (uint32_t at = 0; at + 2 <= size;) {
        uint32_t call = told[at + 1];
        if (call >= history->count) return false;
        if (told[at] == 'C') {
            if (history->calls[call].state != RV_CALL_ABSENT) return false;
            rv_history_call(history, call);
            at += 2;
        } else {
            if (told[at] != 'R' || at + 4 > size || history->calls[call].state != RV_CALL_PENDING)
                return false;
            uint32_t length = told[at + 2] | (uint32_t)told[at + 3] << 8;
            if (length > size - at - 4) return false;
            rv_history_return(history, call, told + at + 4, length);
            at += 4 + length;
        }
    }
    return rv_history_wrong(history) == NULL;
}

/* ---- the case ---- */

struct writer {
    unsigned char *to;
    uint32_t size;
    bool full;
};

static void add(struct writer *writer, const void *data, uint32_t size) {
    static const unsigned char zero[8];
    uint32_t padded = (size + 7) & ~7u;
    if (writer->full || padded > RV_CASE_ROOM - writer->size) {
        writer->full = true;
        return;
    }
    if (size) memcpy(writer->to + writer->size, data, size);
    memcpy(writer->to + writer->size + size, zero, padded - size);
    writer->size += padded;
}

static void add_results(struct writer *writer, const struct rv_history *wrong) {
    for (uint32_t i = 0; i < wrong->count; i++) {
        const struct rv_call *call = &wrong->calls[i];
        struct {
            uint64_t before;
            uint32_t state, size;
        } head = {.state = (uint32_t)call->state};
        if (call->state == RV_CALL_RETURNED) head.size = call->result.size;
        for (uint32_t other = 0; other < wrong->count; other++)
            if (other != i && wrong->calls[other].state == RV_CALL_RETURNED &&
                call->state != RV_CALL_ABSENT && wrong->calls[other].returned < call->called)
                head.before |= 1ull << other;
        add(writer, &head, sizeof head);
        add(writer, call->result.data, head.size);
    }
}

uint32_t rv_test_encode(const struct rv_test *test, uint64_t harness, const uint8_t *orders,
                        uint32_t order_count, const struct rv_history *wrong, unsigned char *to) {
    struct writer writer = {.to = to};
    struct rv_case_header header = {.magic = RV_CASE_MAGIC,
                                    .harness = harness,
                                    .objects = test->objects,
                                    .calls = test->count,
                                    .orders = order_count,
                                    .threads = test->threads};
    add(&writer, &header, sizeof header);
    add(&writer, test->made, test->objects * (uint32_t)sizeof *test->made);
    add(&writer, test->calls, test->count * (uint32_t)sizeof *test->calls);
    if (order_count) add(&writer, orders, order_count * test->count);
    uint32_t before = writer.size;
    if (wrong) add_results(&writer, wrong);
    header.results = writer.size - before;
    header.size = writer.size;
    memcpy(to, &header, sizeof header);
    return writer.full ? 0 : writer.size;
}

/* ---- for people ---- */

void rv_test_object_name(struct rv_text *text, const struct rv_api *api, const struct rv_test *test,
                         int64_t object) {
    if (object < 0)
        rv_text_add(text, "NULL");
    else if (test->objects == 1)
        rv_text_addf(text, "the_%s", api->short_name);
    else
        rv_text_addf(text, "%s%lld", api->short_name, (long long)object + 1);
}

void rv_test_tell_argument(struct rv_text *text, const struct rv_api *api, const struct rv_test *test,
                           const struct rv_parameter *parameter, int64_t value) {
    const char *name = *parameter->name ? parameter->name : "out";
    switch (parameter->kind) {
    case RV_PARAMETER_OBJECT: rv_test_object_name(text, api, test, value); break;
    case RV_PARAMETER_INTEGER:
        if (parameter->bytes == 1 && value >= 32 && value < 127 && value != '\'' && value != '\\')
            rv_text_addf(text, "'%c'", (char)value);
        else if (parameter->bytes == 0)
            rv_text_add(text, value ? "true" : "false");
        else
            rv_text_addf(text, "%lld", (long long)value);
        break;
    case RV_PARAMETER_ENUM:
    case RV_PARAMETER_LENGTH: rv_text_addf(text, "%lld", (long long)value); break;
    case RV_PARAMETER_FLOAT: rv_text_addf(text, "%.1f", (double)value / 2); break;
    case RV_PARAMETER_STRING:
        if (value < 0 || value >= api->string_count)
            rv_text_add(text, "NULL");
        else
            rv_text_add_quoted(text, api->strings[value], strlen(api->strings[value]));
        break;
    case RV_PARAMETER_INPUT:
        if (value < 0)
            rv_text_add(text, "NULL");
        else if (parameter->bytes == 1)
            rv_text_addf(text, "\"%.*s\"", (int)(value > 36 ? 36 : value),
                         "abcdefghijklmnopqrstuvwxyz0123456789");
        else
            rv_text_add(text, "numbers");
        break;
    case RV_PARAMETER_OUTPUT: rv_text_add(text, value < 0 ? "NULL" : name); break;
    case RV_PARAMETER_RESULT: rv_text_addf(text, "%s%s", value ? "&" : "NULL", value ? name : ""); break;
    case RV_PARAMETER_CALLBACK:
        if (value < 0) {
            rv_text_add(text, "NULL");
        } else {
            char *callback = rv_harness_callback(api, parameter->callback, value);
            rv_text_add(text, callback);
            free(callback);
        }
        break;
    case RV_PARAMETER_POINTER:
        if (value < 0)
            rv_text_add(text, "NULL");
        else
            rv_text_addf(text, "&addresses[%lld]", (long long)value & 7);
        break;
    }
}

void rv_test_tell_call(struct rv_text *text, const struct rv_api *api, const struct rv_test *test,
                       const struct rv_case_call *call) {
    const struct rv_method *method = &api->methods[call->method];
    rv_text_addf(text, "%s(", method->name);
    for (uint32_t i = 0; i < method->count; i++) {
        if (i) rv_text_add(text, ", ");
        rv_test_tell_argument(text, api, test, &method->parameters[i], call->arguments[i]);
    }
    rv_text_add(text, ")");
}

char *rv_test_tell(const struct rv_api *api, const struct rv_test *test, const struct rv_history *history) {
    struct rv_text text = {0};
    for (uint32_t i = 0; i < test->objects; i++) {
        rv_text_add(&text, "  first     ");
        if (!api->methods[test->made[i].method].initialises) {
            rv_test_object_name(&text, api, test, i);
            rv_text_add(&text, " = ");
        }
        struct rv_case_call call = test->made[i];
        if (api->methods[call.method].initialises) call.arguments[api->methods[call.method].object] = i;
        rv_test_tell_call(&text, api, test, &call);
        rv_text_add(&text, "\n");
    }
    for (uint32_t i = 0; i < test->count; i++) {
        const struct rv_case_call *call = &test->calls[i];
        if (call->phase == RV_PHASE_DURING)
            rv_text_addf(&text, "  thread %u  ", call->thread + 1u);
        else
            rv_text_add(&text, call->phase == RV_PHASE_BEFORE ? "  first     " : "  then      ");
        rv_result_tell(&text, api, test, i, history ? &history->calls[i] : NULL);
        if (history && history->calls[i].state == RV_CALL_PENDING) rv_text_add(&text, "   (did not return)");
        rv_text_add(&text, "\n");
    }
    return rv_text_take(&text);
}
