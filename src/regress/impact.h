/* Which accesses to variables a change can have affected: the five rules of SimRT (Yu, Srisa-an, Rothermel, ICSE 2014), for C.
 *
 *   1 ADDED, MODIFIED   the statement that the access is in
 *   2 FUNCTION          its function was added
 *     CALLED            ... or is called where it was not before, or by such a function
 *   3 GUARDED           a lock that guards it was added, removed or changed (region.h)
 *   4 PLAIN             an access to the variable was volatile or atomic and is not any more
 *   5 SLICE             whether it is done, or which memory it accesses, depends on a change (slice.h); that what it stores
 *                       does makes no race
 *
 * Where the old version does not tell, more is affected. */
#ifndef RV_REGRESS_IMPACT_H
#define RV_REGRESS_IMPACT_H

#include "regress/calls.h"
#include "regress/match.h"
#include "regress/slice.h"

enum rv_reason {
    RV_UNIMPACTED,
    RV_IMPACT_ADDED,
    RV_IMPACT_MODIFIED,
    RV_IMPACT_FUNCTION,
    RV_IMPACT_CALLED,
    RV_IMPACT_GUARDED,
    RV_IMPACT_PLAIN,
    RV_IMPACT_SLICE,
    RV_REASONS
};
extern const char *const rv_reason_names[RV_REASONS]; /* "added", "modified", "added function", ... */

/* Why, and the change that it comes from: a statement of the new version, or of the old one. */
struct rv_impacted {
    uint8_t reason;
    bool old;
    uint32_t statement; /* RV_NONE: a variable's first value */
    rv_groups groups;   /* of all changes that affect it, not only the one that is named */
};

/* Of changes that are in no code that a test could be seen to execute: all tests have it. */
#define RV_GROUP_ALWAYS ((rv_groups)1 << 63)

struct rv_impact {
    const struct rv_match *match;
    struct rv_impacted *sites; /* by number of the new version's site */
    rv_groups *branches;       /* by statement of it: changes that put in question where it leads to */
    rv_groups *added_in;       /* by block of the new version: the group of what is not the same in it; 0 */
    rv_groups *gone_from;      /* ... of the old one */
    struct rv_calls calls;
    uint32_t changed, gone; /* statements */
};

void rv_impact_make(struct rv_impact *impact, const struct rv_match *match);
void rv_impact_free(struct rv_impact *impact);

#endif
