/* How results are told: to people as they come (tell.c), as TAP as they come (tap.c), as JUnit XML and JSON at the end (junit.c,
 * json.c). Names and messages come from the program under test: each makes them harmless in its own way. */
#ifndef RV_SUITE_OUTPUT_H
#define RV_SUITE_OUTPUT_H

#include <jansson.h>
#include <stdio.h>

#include "report/failure.h"
#include "suite/cases.h"
#include "suite/result.h"

/* All of it. Cases that are not chosen have no result; with kind NULL a chosen one has not been run. */
struct rv_suite_report {
    const char *program; /* as given */
    const struct rv_suite_cases *cases;
    const struct rv_test_result *results;
    size_t counts[RV_TEST_STATUSES];
    size_t left; /* chosen and not run */
    double seconds;
    bool passive;
};

/* One case, and the last line. */
void rv_suite_tell(FILE *out, const struct rv_print_options *options, const struct rv_suite_case *one,
                   const struct rv_test_result *result);
void rv_suite_tell_end(FILE *out, const struct rv_suite_report *report);

/* TAP version 13: the version and the plan, one case (numbered from 1), what is said when not all came to their turn. */
void rv_suite_tap_begin(FILE *out, size_t count);
void rv_suite_tap(FILE *out, size_t number, const struct rv_suite_case *one,
                  const struct rv_test_result *result);
void rv_suite_tap_end(FILE *out, const struct rv_suite_report *report);

/* malloc'ed. */
char *rv_suite_junit(const struct rv_suite_report *report);
/* A new reference. */
json_t *rv_suite_json(const struct rv_suite_report *report);

/* The details of a result without what makes them colourful on a terminal; malloc'ed. */
char *rv_suite_plain(const char *details);

#endif
