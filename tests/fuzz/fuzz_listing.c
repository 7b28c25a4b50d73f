/* libFuzzer target for what a test binary says: its list of tests, what it tells while a test runs, and what the process that
 * ran a test sends to the first one. Whatever is read must be within bounds, and what was read as a result means the same when
 * it is sent again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "suite/checking.h"
#include "suite/listing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_list(const char *text, size_t size) {
    struct rv_listing listing = {0};
    char *error = NULL;
    if (rv_listing_read(&listing, text, size, &error) == (error != NULL)) abort();
    for (size_t i = 0; i < listing.test_count; i++)
        if (!*listing.tests[i].name || !rv_listing_test(&listing, listing.tests[i].name)) abort();
    free(error);
    rv_listing_free(&listing);
}

static void read_told(const char *text, size_t size) {
    struct rv_test_result result = {.status = RV_TEST_PASS};
    struct rv_checking checking = {.result = &result};
    rv_checking_read(&checking, text, size);
    if ((checking.kind == RV_KIND_NONE) != (checking.message == NULL)) abort();
    if (checking.name_count > RV_CHECKING_THREADS + 1 || result.event_count > RV_TEST_EVENTS) abort();
    rv_checking_free(&checking);
    rv_test_result_free(&result);
}

static void read_result(const char *text, size_t size) {
    struct rv_test_result result, again;
    if (rv_test_result_read(&result, text, size)) {
        json_t *json = rv_test_result_json(&result);
        char *sent = json_dumps(json, JSON_COMPACT);
        if (!rv_test_result_read(&again, sent, strlen(sent))) abort();
        if (strcmp(result.message, again.message) != 0 || result.event_count != again.event_count) abort();
        rv_test_result_free(&again);
        free(sent);
        json_decref(json);
    }
    rv_test_result_free(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_list((const char *)data, size);
    read_told((const char *)data, size);
    read_result((const char *)data, size);
    return 0;
}
