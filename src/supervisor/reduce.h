/* A confirmed failure made simple: minimised through a worker that serves requests, then confirmed again in a
 * fresh process. */
#ifndef RV_SUPERVISOR_REDUCE_H
#define RV_SUPERVISOR_REDUCE_H

#include "supervisor/confirm.h"

/* Replaces *failure by a simpler one of the same kind and signature, if there is one and it is confirmed;
 * count, first_schedule, isolation and file stay. Bounded by work; and by so many seconds, for slow machines. */
void rv_reduce(struct rv_failure *failure, const struct rv_case *about, double seconds);

#endif
