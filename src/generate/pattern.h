/* The instance of a memory-access pattern behind a bug: of those that the failing execution contains, the one that makes the test
 * fail most often when executions are steered to it. */
#ifndef RV_GENERATE_PATTERN_H
#define RV_GENERATE_PATTERN_H

#include "coverage/data.h"
#include "generate/hunt.h"

struct rv_bug_pattern {
    bool found;
    uint32_t hits, runs;       /* executions that failed, of those that were steered */
    struct rv_cover_data data; /* with this instance only */
};

void rv_bug_pattern_find(struct rv_bug_pattern *pattern, const struct rv_bug *bug, struct rv_runner *runner);
void rv_bug_pattern_free(struct rv_bug_pattern *pattern);
/* "3  a:W(x) b:W(x)  x = counter.cells: ..."; malloc'ed. */
char *rv_bug_pattern_text(const struct rv_bug_pattern *pattern);

#endif
