/* The events of a controlled execution, out of a worker's area (untrusted). */
#ifndef RV_SUITE_TRACED_H
#define RV_SUITE_TRACED_H

#include "base/protocol.h"
#include "suite/result.h"

/* Of the traced execution that the area holds. */
void rv_traced_events(const struct rv_area *area, struct rv_test_result *result);

#endif
