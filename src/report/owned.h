/* Blank, copy and free: the pieces of which failures and races are made. */
#ifndef RV_REPORT_OWNED_H
#define RV_REPORT_OWNED_H

#include "report/failure.h"

/* A location of which nothing is known: "" in all texts. */
void rv_location_blank(struct rv_location *location);
/* `to` is overwritten. */
void rv_stack_copy(struct rv_stack_text *to, const struct rv_stack_text *from);
void rv_stack_free(struct rv_stack_text *stack);
void rv_locks_free(struct rv_lock_text *locks, unsigned count);
/* NULL is none. */
void rv_block_free(struct rv_block_text *block);
/* "" in the place of NULL. */
void rv_text_complete(char **text);

#endif
