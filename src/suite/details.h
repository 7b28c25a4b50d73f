/* What a failed test shows people beside its message: the schedule, with the ordering that was violated underlined, and the
 * events that happened, in order, one column a thread. */
#ifndef RV_SUITE_DETAILS_H
#define RV_SUITE_DETAILS_H

#include "report/printer.h"
#include "suite/cases.h"
#include "suite/result.h"

/* length 0: nothing is underlined. */
void rv_details_schedule(struct rv_printer *printer, const struct rv_suite_case *one, size_t at,
                         size_t length);
void rv_details_events(struct rv_printer *printer, const struct rv_test_result *result);
/* The last lines of what the test printed, if it did. */
void rv_details_output(struct rv_printer *printer, const char *output);

#endif
