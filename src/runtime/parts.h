/* A worker's side of a divided search: it gets parts from the supervisor, gives parts away, hands in what became of
 * them (strategy/part.h, rv_exchange in base/protocol.h). Between executions only.
 */
#ifndef RV_RUNTIME_PARTS_H
#define RV_RUNTIME_PARTS_H

#include "base/protocol.h"

/* Waits until there is something to explore: RV_DONE_NOT. Anything else: leave, for this reason. */
enum rv_done rv_parts_find(void);
/* There is something left after an execution: gives a part away if somebody wants one. */
void rv_parts_share(void);
/* There is nothing left. */
void rv_parts_hand_in(void);
/* Before the first execution of a search that is not divided: carries an earlier one on, if the supervisor has sent it. */
void rv_parts_resume(void);
/* The worker leaves: tells the supervisor what is left, for another campaign. */
void rv_parts_save(void);

#endif
