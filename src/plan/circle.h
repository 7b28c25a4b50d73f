/* Orderings that contradict each other: a -> b, b -> a. */
#ifndef RV_PLAN_CIRCLE_H
#define RV_PLAN_CIRCLE_H

#include "plan/plan.h"

/* True: an ordering closes a circle with those before it; *error names the first that does. */
bool rv_plan_circle(const struct rv_plan *plan, struct rv_plan_error *error);

#endif
