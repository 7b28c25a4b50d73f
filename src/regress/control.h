/* Control dependence: which blocks a branch decides about. Block x depends on branch b if x is certainly executed after one edge
 * of b and not after another (Ferrante, Ottenstein, Warren 1987), from post-dominators (Cooper, Harvey, Kennedy 2001). A
 * function that does not return along some path (endless loop) has edges to its end from everywhere it cannot leave. */
#ifndef RV_REGRESS_CONTROL_H
#define RV_REGRESS_CONTROL_H

#include "regress/version.h"

/* Fills version->dependents; blocks and predecessors are there. */
void rv_control_dependents(struct rv_version *version);

#endif
