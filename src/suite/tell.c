#include <stdlib.h>
#include <string.h>

#include "report/printer.h"
#include "suite/output.h"
#include "supervisor/util.h"

static const char *const words[RV_TEST_STATUSES] = {"ok", "FAIL", "ERROR"};

char *rv_suite_plain(const char *details) {
    struct rv_text text = {0};
    while (*details) {
        size_t size = strcspn(details, "\033");
        rv_text_add_n(&text, details, size);
        details += size;
        if (*details == '\033') details += 1 + strcspn(details + 1, "m");
        if (*details == 'm') details++;
    }
    return rv_text_take(&text);
}

void rv_suite_tell(FILE *out, const struct rv_print_options *options, const struct rv_suite_case *one,
                   const struct rv_test_result *result) {
    char schedules[32];
    struct rv_printer printer = rv_printer_for(out, options);
    printer.width = UINT16_MAX; /* one line each, whatever its length: for grep */
    struct rv_text line = {0};
    rv_text_addf(&line, "%-5s %s", words[result->status], one->name);
    if (result->schedules > 1)
        rv_text_addf(&line, " (%s schedules%s)", rv_grouped(result->schedules, schedules),
                     result->complete ? ": all there are" : "");
    if (*result->message) rv_text_addf(&line, ": %s", result->message);
    rv_print_line(&printer, 0, 6, result->status == RV_TEST_PASS ? RV_PLAIN : RV_ALARM, "%s", line.data);
    free(line.data);
    if (*result->report) fprintf(out, "\n%s\n", result->report);
    fflush(out);
}

void rv_suite_tell_end(FILE *out, const struct rv_suite_report *report) {
    const size_t *counts = report->counts;
    size_t all = counts[RV_TEST_PASS] + counts[RV_TEST_FAIL] + counts[RV_TEST_ERROR];
    fprintf(out, "%zu test%s", all, all == 1 ? "" : "s");
    if (report->passive) fprintf(out, ", checked only");
    if (counts[RV_TEST_FAIL]) fprintf(out, ", %zu failed", counts[RV_TEST_FAIL]);
    if (counts[RV_TEST_ERROR]) fprintf(out, ", %zu could not be run", counts[RV_TEST_ERROR]);
    if (report->left) fprintf(out, ", interrupted with %zu left", report->left);
    fprintf(out, "%s, %.3g s\n", counts[RV_TEST_PASS] == all && !report->left ? ", all passed" : "",
            report->seconds);
}
