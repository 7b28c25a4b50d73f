/* What a campaign has covered: from its workers to the store. */
#ifndef RV_SUPERVISOR_COVERED_H
#define RV_SUPERVISOR_COVERED_H

#include "coverage/shelf.h"
#include "supervisor/explore.h"
#include "supervisor/result.h"

/* After rv_explorer_stop: adds what the workers have to the shelf, and how it has grown to the run. */
void rv_covered_take(const struct rv_explorer *explorer, struct rv_cover_shelf *shelf,
                     struct rv_cover_run *run);
/* Once, at the end. What goes wrong is a warning. */
void rv_covered_save(struct rv_cover_shelf *shelf, struct rv_cover_run *run, struct rv_result *result);

#endif
