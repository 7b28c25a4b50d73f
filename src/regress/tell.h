/* What an assessment is told as: for people, and as JSON. Texts are untrusted: made harmless here. */
#ifndef RV_REGRESS_TELL_H
#define RV_REGRESS_TELL_H

#include <jansson.h>
#include <stdio.h>

#include "regress/assess.h"

/* Why each access is impacted, which tests are selected and for which pairs. */
void rv_assessment_print(const struct rv_assessment *assessment, const char *technique, FILE *out);
/* { "version", "base", "commit", "technique", "tests", "selected": [ {"test", "rank", "pairs": [numbers], "possible": n, "why"?, "seconds"} ],
 *   "rest": [names], "impacted": [ {"variable", "file", "function", "line", "access", "reason", "change": {"file", "line", "old"}} ],
 *   "pairs": [ {"variable", "first": {"file", "function", "line", "access"}, "second"} ], "notes": [], "seconds" } */
json_t *rv_assessment_json(const struct rv_assessment *assessment, const char *technique);
/* "src/map.c:12" of the statement that an impact comes from; malloc'ed; NULL: of none. */
char *rv_change_place(const struct rv_assessed_program *program, const struct rv_impacted *impacted);

#endif
