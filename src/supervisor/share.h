/* The supervisor's side of a divided search: what workers send goes into the pool, and what is ready goes to those who have
 * nothing (strategy/part.h; rv_exchange in base/protocol.h). Part of explore.c's round.
 */
#ifndef RV_SUPERVISOR_SHARE_H
#define RV_SUPERVISOR_SHARE_H

#include "supervisor/explore.h"

/* Takes the worker's message, if there is one. */
void rv_share_read(struct rv_explorer *explorer, struct rv_seat *seat);
/* The worker has left by itself. */
void rv_share_ended(struct rv_explorer *explorer, struct rv_seat *seat);
/* Gives what is ready to those who wait, asks for more, and sees when it is over. */
void rv_share_deal(struct rv_explorer *explorer);

#endif
