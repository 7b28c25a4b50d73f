/* "Did you mean": the closest of a set of words to one that was mistyped. */
#ifndef RV_BASE_SUGGEST_H
#define RV_BASE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

struct rv_suggestion {
    const char *typed;
    const char *best; /* NULL: nothing close enough; else one of the words offered */
    size_t distance;
};

/* Offer every known word in turn; `best` is then the first of the closest. A word is close if it takes at
 * most a third of its letters (one at least) to come from one to the other by inserting, dropping,
 * replacing or swapping neighbours (capitals count as small letters), or if the typed text (two letters at least) is its beginning. */
void rv_suggest_offer(struct rv_suggestion *suggestion, const char *word);

#endif
