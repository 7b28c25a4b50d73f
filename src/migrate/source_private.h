/* Among the files that read the test file. */
#ifndef RV_MIGRATE_SOURCE_PRIVATE_H
#define RV_MIGRATE_SOURCE_PRIVATE_H

#include "migrate/clang.h"
#include "migrate/source.h"

struct rv_reading {
    struct rv_source *source;
    CXTranslationUnit unit;
    CXFile file;
    /* while places are collected */
    uint32_t function;
    unsigned loops;
    CXCursor body; /* of the function */
    bool polling, making;
};

struct rv_cursors {
    CXCursor *items;
    unsigned count;
};
struct rv_cursors rv_children(CXCursor cursor); /* free items */

/* Where it stands in the test file, in the text as it is written there: what a macro makes has the place of its use. False: it is
 * in another file. */
bool rv_cursor_range(const struct rv_reading *reading, CXCursor cursor, size_t *begin, size_t *end);
char *rv_cursor_name(CXCursor cursor); /* malloc'ed, never NULL */
/* The function of the file that the cursor names, or RV_NO_FUNCTION. */
#define RV_NO_FUNCTION UINT32_MAX
uint32_t rv_function_of(const struct rv_reading *reading, CXCursor declaration);

/* What an expression, or a statement with all in it, does. */
struct rv_deeds {
    bool calls; /* something else than what follows */
    bool writes, looks;
    bool sleeps, creates, joins, meets;
    char *callee;  /* the first call that is written out in the file and is no assertion; NULL: none */
    char *changed; /* the first variable that is assigned to; NULL: none */
};
void rv_deeds_of(const struct rv_reading *reading, CXCursor cursor, struct rv_deeds *deeds);
void rv_deeds_free(struct rv_deeds *deeds);

/* places.c: all places of the functions of the file; functions are classified before. */
void rv_places_read(struct rv_reading *reading, uint32_t function, CXCursor body);

/* classify.c: from what functions call, which of them sleep only, are followed, are tests. */
void rv_functions_classify(struct rv_source *source);

#endif
