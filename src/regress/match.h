/* What of a program is what in its changed version: functions, blocks, statements.
 *
 * Functions are the same by name; where several have one name (static ones), by file, by content, by order. Blocks by the
 * traversal of Dejavu (Rothermel and Harrold, 1997): from both entries along equally labelled edges; where two blocks differ, their
 * statements are compared. Unlike there the walk goes on, so that what follows a change is not lost; what it has not matched is
 * then matched by content in the order of the source. A branch that leads elsewhere than before counts as changed.
 *
 * A local that has another name is the same if the old name is gone from the function, the new one was not in it, and all that is said of
 * the one is said of the other.
 *
 * "Old" is the base, "new" the changed version; a statement is *matched* if it does the same in both. */
#ifndef RV_REGRESS_MATCH_H
#define RV_REGRESS_MATCH_H

#include "regress/version.h"

struct rv_match {
    const struct rv_version *old, *new;
    /* Each RV_NONE where there is none. */
    uint32_t *function_of, *function_to;   /* new to old, old to new */
    uint32_t *block_of, *block_to;         /* walked together: need not be equal */
    uint32_t *statement_of, *statement_to; /* do the same */
    struct rv_renaming {
        uint32_t (*pairs)[2]; /* hashes of names: old, new */
        uint32_t count;
    } renaming;                /* of locals of the function that is being matched */
    bool *turned, *old_turned; /* of a matched statement: its branch leads elsewhere */
    struct rv_lists
        stands_for; /* of a new block: old blocks that have its statements, or were there in its place */
};

void rv_match_make(struct rv_match *match, const struct rv_version *old, const struct rv_version *new);
void rv_match_free(struct rv_match *match);

/* Added, or not the same any more. */
static inline bool rv_is_changed(const struct rv_match *match, uint32_t statement) {
    return match->statement_of[statement] == RV_NONE || match->turned[statement];
}
/* Gone, or not the same any more. */
static inline bool rv_is_gone(const struct rv_match *match, uint32_t old_statement) {
    return match->statement_to[old_statement] == RV_NONE || match->old_turned[old_statement];
}

#endif
