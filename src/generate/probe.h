/* Which pointers may be NULL: tried by one thread before the hunt. */
#ifndef RV_GENERATE_PROBE_H
#define RV_GENERATE_PROBE_H

#include "generate/runner.h"

/* Sets may_be_null of parameters with which some calls, after different others, went well. */
void rv_probe_nulls(struct rv_api *api, struct rv_runner *runner, uint64_t seed);

#endif
