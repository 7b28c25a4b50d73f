#ifndef RV_REGRESS_MATCH_PRIVATE_H
#define RV_REGRESS_MATCH_PRIVATE_H

#include "regress/match.h"

/* match_functions.c: fills function_of and function_to. */
void rv_match_functions(struct rv_match *match);
/* match_order.c: matches those of two rows of statements that do the same, in order: a longest common subsequence. Statements
 * that are matched already are left out. */
void rv_match_in_order(struct rv_match *match, const uint32_t *old, uint32_t old_count, const uint32_t *new,
                       uint32_t new_count);

/* match_names.c: fills match->renaming for these two functions. */
void rv_match_names(struct rv_match *match, uint32_t old, uint32_t new);
/* Whether two statements do the same, with locals renamed. */
bool rv_do_the_same(const struct rv_match *match, uint32_t old, uint32_t new);

#endif
