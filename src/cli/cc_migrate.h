/* What `ravel migrate` asks of the `ravel cc` that a build runs (base/migrate_log.h has the variables). */
#ifndef RV_CLI_CC_MIGRATE_H
#define RV_CLI_CC_MIGRATE_H

#include "cli/cc_request.h"

/* If the test file that is migrated is among the inputs: how it is compiled is noted, and an instrumented copy, if there is one,
 * takes its place. Nobody asks: nothing. */
void rv_cc_migrate(struct rv_words *arguments);

#endif
