/* Races and lock-order deadlocks for code-review systems: a SARIF 2.1.0 log (OASIS, "Static Analysis Results Interchange
 * Format"), with one run, a rule for each of the two kinds, and one result for each find.
 *
 *   level              error: real or harmful; warning: predicted; note: potential
 *   locations          where the first access is, or where the first thread waits
 *   relatedLocations   the other one, then memory, locks, creation of threads; the message links to them by id
 *   codeFlows          one threadFlow a thread: calls from outside in, locks where they were taken, the access
 *   stacks             the two accesses; or each thread that waits
 *   partialFingerprints
 *     names/v1         variable or locks, functions, kinds of access: survives lines that move
 *     text/v1          the same and the text of the statements
 *     signature/v1     of the statements in this build of the program
 *   properties         "status", "predicted", "signature", "count", "tries", "variable"?, "file"?, "harm"?, "harm_file"?
 *
 * What is not known is not there: no region without a line, no location without a file or module. */
#ifndef RV_REPORT_SARIF_H
#define RV_REPORT_SARIF_H

#include "report/race.h"

/* Paths without a symbolic link, not owned; NULL: unknown. Places below `root` are given relative to it, with the uriBaseId
 * SRCROOT, others as file:// URIs. */
struct rv_sarif_roots {
    const char *
        directory; /* where the program runs, and relative paths begin; or some directory above, if they are there */
    const char *root; /* of the sources: what a code-review system has */
};

/* A new reference. `version`: of ravel. */
json_t *rv_sarif(const struct rv_race_text *races, size_t race_count,
                 const struct rv_deadlock_text *deadlocks, size_t deadlock_count,
                 const struct rv_sarif_roots *roots, const char *version);
/* The directory at or above this one that is under version control (has .git, .hg or .svn), else itself; malloc'ed. */
char *rv_sarif_find_root(const char *directory);

#endif
