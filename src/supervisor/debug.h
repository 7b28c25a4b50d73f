/* Replay in the debugger: this process becomes gdb with the program as a worker that follows the schedule and
 * stops, by SIGTRAP, where the failure happens. */
#ifndef RV_SUPERVISOR_DEBUG_H
#define RV_SUPERVISOR_DEBUG_H

#include "supervisor/confirm.h"

/* Returns only if it did not work, with errno. */
void rv_debug(const struct rv_case *about, const struct rv_failure *recorded);

#endif
