/* Learned HaPSets (strategy/hapset.h) with names: each statement, where it is and who called it, and after which
 * statements it was seen, for people and for machines.
 *
 * Statements are numbered from 1 by their places (file, line, function, then the callers), so that the same sets print the
 * same, in whatever order they were learned.
 */
#ifndef RV_REPORT_HAPSETS_H
#define RV_REPORT_HAPSETS_H

#include "report/failure.h"
#include "report/symbolise.h"
#include "strategy/hapset.h"

/* The callers of a statement are as many as were recorded; calls from the C library and ravel are left out. */
void rv_hapsets_print(const struct rv_hapsets *sets, struct rv_symboliser *symbols, FILE *out,
                      const struct rv_print_options *options);
/* An array of {"id", "function", "file", "line", "source", "callers": [...], "predecessors": [{"id", "first_schedule"}]}; a
 * new reference. */
json_t *rv_hapsets_json(const struct rv_hapsets *sets, struct rv_symboliser *symbols);

#endif
