/* Changes of a text: pieces put in at offsets, ranges taken out; applied at once. */
#ifndef RV_MIGRATE_EDITS_H
#define RV_MIGRATE_EDITS_H

#include <stdbool.h>
#include <stddef.h>

struct rv_edit {
    size_t at, remove; /* bytes */
    char *text;        /* owned */
};

struct rv_edits {
    struct rv_edit *items;
    size_t count;
};

/* Pieces at the same offset come in the order in which they were added. Takes `text` over. */
void rv_edit_add(struct rv_edits *edits, size_t at, size_t remove, char *text);
/* The changed text, malloc'ed. Of ranges that overlap the later begins where the earlier ends. */
char *rv_edits_apply(struct rv_edits *edits, const char *text, size_t size);
void rv_edits_free(struct rv_edits *edits);

/* Both texts as a unified diff with three lines of context, "" if they are the same; malloc'ed. */
char *rv_text_diff(const char *before, const char *after, const char *name);

#endif
