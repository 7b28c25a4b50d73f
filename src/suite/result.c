#include "suite/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/json_parts.h"
#include "report/text.h"

const char *const rv_test_statuses[RV_TEST_STATUSES] = {"pass", "fail", "error"};

void rv_test_result_complete(struct rv_test_result *result) {
    char **texts[] = {&result->kind, &result->message, &result->report, &result->file};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!*texts[i]) *texts[i] = rv_text_copy("");
}

void rv_test_result_free(struct rv_test_result *result) {
    for (size_t i = 0; i < result->event_count; i++) {
        free(result->events[i].thread);
        free(result->events[i].name);
    }
    free(result->events);
    free(result->kind);
    free(result->message);
    free(result->report);
    free(result->file);
    *result = (struct rv_test_result){.status = RV_TEST_ERROR};
}

void rv_test_result_add_event(struct rv_test_result *result, const char *thread, const char *name) {
    size_t count = result->event_count;
    if (count >= RV_TEST_EVENTS) return;
    if ((count & (count + 1)) == 0)
        result->events = rv_text_realloc(result->events, count * 2 + 2, sizeof *result->events);
    result->events[result->event_count++] = (struct rv_test_event){rv_text_copy(thread), rv_text_copy(name)};
}

json_t *rv_test_events_json(const struct rv_test_result *result) {
    json_t *events = json_array();
    for (size_t i = 0; i < result->event_count; i++)
        json_array_append_new(events,
                              json_pack("{s:o, s:o}", "thread", rv_json_text(result->events[i].thread),
                                        "event", rv_json_text(result->events[i].name)));
    return events;
}

json_t *rv_test_result_json(const struct rv_test_result *result) {
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:f, s:o, s:b, s:b, s:o}", "status",
                     rv_test_statuses[result->status], "kind", rv_json_text(result->kind), "message",
                     rv_json_text(result->message), "report", rv_json_text(result->report), "file",
                     rv_json_text(result->file), "seconds", result->seconds, "schedules",
                     rv_json_number(result->schedules), "complete", result->complete, "interrupted",
                     result->interrupted, "events", rv_test_events_json(result));
}

static bool read_events(struct rv_test_result *result, const json_t *events) {
    for (size_t i = 0; i < json_array_size(events); i++) {
        const char *thread, *name;
        if (json_unpack((json_t *)json_array_get(events, i), "{s:s, s:s}", "thread", &thread, "event",
                        &name) != 0)
            return false;
        rv_test_result_add_event(result, thread, name);
    }
    return true;
}

static bool read_fields(struct rv_test_result *result, json_t *root) {
    const char *status, *kind, *message, *report, *file;
    json_int_t schedules;
    int complete, interrupted;
    json_t *events;
    if (json_unpack(root, "{s:s, s:s, s:s, s:s, s:s, s:F, s:I, s:b, s:b, s:o}", "status", &status, "kind",
                    &kind, "message", &message, "report", &report, "file", &file, "seconds", &result->seconds,
                    "schedules", &schedules, "complete", &complete, "interrupted", &interrupted, "events",
                    &events) != 0 ||
        schedules < 0 || !isfinite(result->seconds) || result->seconds < 0 || !json_is_array(events))
        return false;
    unsigned known = 0;
    while (known < RV_TEST_STATUSES && strcmp(rv_test_statuses[known], status) != 0) known++;
    if (known == RV_TEST_STATUSES) return false;
    result->status = (enum rv_test_status)known;
    result->kind = rv_text_copy(kind);
    result->message = rv_text_copy(message);
    result->report = rv_text_copy(report);
    result->file = rv_text_copy(file);
    result->schedules = (uint64_t)schedules;
    result->complete = complete;
    result->interrupted = interrupted;
    return read_events(result, events);
}

bool rv_test_result_read(struct rv_test_result *result, const char *text, size_t size) {
    *result = (struct rv_test_result){.status = RV_TEST_ERROR};
    json_t *root = size <= RV_TEST_RESULT_SIZE ? json_loadb(text, size, 0, NULL) : NULL;
    bool good = root && read_fields(result, root);
    json_decref(root);
    if (!good) rv_test_result_free(result);
    rv_test_result_complete(result);
    return good;
}
