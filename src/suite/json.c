#include <stdlib.h>

#include "report/json_parts.h"
#include "suite/output.h"

static void add_text(json_t *object, const char *key, const char *text) {
    if (*text) json_object_set_new(object, key, rv_json_text(text));
}

static json_t *case_json(const struct rv_suite_case *one, const struct rv_test_result *result) {
    json_t *object = json_pack("{s:o, s:o, s:s, s:f, s:o, s:b}", "test", rv_json_text(one->test), "schedule",
                               one->scheduled ? rv_json_text(one->label) : json_null(), "status",
                               rv_test_statuses[result->status], "seconds", result->seconds, "schedules",
                               rv_json_number(result->schedules), "complete", result->complete);
    char *details = rv_suite_plain(result->report);
    add_text(object, "kind", result->kind);
    add_text(object, "message", result->message);
    add_text(object, "file", result->file);
    add_text(object, "details", details);
    json_object_set_new(object, "events", rv_test_events_json(result));
    free(details);
    return object;
}

json_t *rv_suite_json(const struct rv_suite_report *report) {
    json_t *tests = json_array();
    for (size_t i = 0; i < report->cases->count; i++)
        if (report->results[i].kind)
            json_array_append_new(tests, case_json(&report->cases->cases[i], &report->results[i]));
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:f}", "version", RV_VERSION, "program",
                     rv_json_text(report->program), "tests", tests, "passed",
                     rv_json_number(report->counts[RV_TEST_PASS]), "failed",
                     rv_json_number(report->counts[RV_TEST_FAIL]), "errors",
                     rv_json_number(report->counts[RV_TEST_ERROR]), "not_run", rv_json_number(report->left),
                     "seconds", report->seconds);
}
