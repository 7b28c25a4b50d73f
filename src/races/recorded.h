/* The race that an execution ended with, from what its worker has recorded (base/protocol.h). */
#ifndef RV_RACES_RECORDED_H
#define RV_RACES_RECORDED_H

#include "base/protocol.h"
#include "races/trace.h"
#include "report/race.h"
#include "report/symbolise.h"

/* A checked copy of what a worker has recorded. */
struct rv_trace rv_recorded_trace(const struct rv_area *area, const struct rv_recording *recording);
/* The records of the two accesses; false: they are not there. */
bool rv_recorded_race(const struct rv_area *area, const struct rv_trace *trace, uint32_t *first,
                      uint32_t *second);
/* malloc'ed, of status REAL; NULL: the recording does not have it. Nothing there is trusted. */
struct rv_race_text *rv_race_recorded(const struct rv_area *area, const struct rv_recording *recording,
                                      struct rv_symboliser *symbols);

#endif
