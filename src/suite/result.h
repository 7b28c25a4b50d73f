/* What came of a test, and its way from the process that ran it to the one that tells it: as JSON, which is also what the
 * outputs are made from. */
#ifndef RV_SUITE_RESULT_H
#define RV_SUITE_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rv_test_status {
    RV_TEST_PASS,
    RV_TEST_FAIL,
    RV_TEST_ERROR, /* it could not be run: nothing is known about the program */
    RV_TEST_STATUSES
};
extern const char *const rv_test_statuses[RV_TEST_STATUSES]; /* "pass", "fail", "error" */

/* An event that happened. */
struct rv_test_event {
    char *thread; /* its name */
    char *name;
};

enum { RV_TEST_EVENTS = 10000 /* that are kept */, RV_TEST_RESULT_SIZE = 8 << 20 /* bytes on the way */ };

/* Texts are owned, never NULL after rv_test_result_complete, and untrusted. */
struct rv_test_result {
    enum rv_test_status status;
    char *kind;    /* of a failure, as base/kind.h names them; "" if it passed */
    char *message; /* one line */
    char *report;  /* details for people, ready to be printed */
    char *file;    /* where the failure was saved; "" if not */
    double seconds;
    uint64_t schedules; /* executions */
    bool complete;      /* every schedule that the plan allows has been covered */
    bool interrupted;   /* nothing is known, for somebody pressed Ctrl-C */
    struct rv_test_event *events;
    size_t event_count;
};

void rv_test_result_complete(struct rv_test_result *result);
void rv_test_result_free(struct rv_test_result *result);
/* Appends, up to the limit. */
void rv_test_result_add_event(struct rv_test_result *result, const char *thread, const char *name);

/* {"status", "kind", "message", "report", "file", "seconds", "schedules", "complete", "interrupted", "events"} */
json_t *rv_test_result_json(const struct rv_test_result *result);
/* [{"thread", "event"}] */
json_t *rv_test_events_json(const struct rv_test_result *result);
/* What another process has sent. False: it is no result; *result is empty and complete. */
bool rv_test_result_read(struct rv_test_result *result, const char *text, size_t size);

#endif
