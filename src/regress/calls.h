/* Calls (and starts of threads) that one version has and the other has not: in statements that are not matched, unless the same
 * function is called by one in the same place of the other version, whose arguments only differ. */
#ifndef RV_REGRESS_CALLS_H
#define RV_REGRESS_CALLS_H

#include "regress/match.h"

struct rv_calls {
    bool *added; /* by number of the new version's rv_model_invoke */
    bool *gone;  /* ... of the old one's */
};

void rv_calls_compare(struct rv_calls *calls, const struct rv_match *match);
void rv_calls_free(struct rv_calls *calls);

#endif
