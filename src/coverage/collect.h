/* From what workers have noted to what is kept. */
#ifndef RV_COVERAGE_COLLECT_H
#define RV_COVERAGE_COLLECT_H

#include "base/protocol.h"
#include "coverage/data.h"
#include "report/symbolise.h"

/* Adds what the area has, which nobody writes to any more and which is not trusted. An execution that was not settled (its
 * process died) is settled first. */
void rv_coverage_collect(struct rv_cover_data *data, struct rv_area *area, struct rv_symboliser *symbols);

#endif
