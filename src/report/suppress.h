/* Suppressions: races and deadlocks that the user does not want to be told of. The syntax is ThreadSanitizer's, so that files
 * written for it work here, and so do what programs return from __tsan_default_suppressions().
 *
 *   # comment                  lines are TYPE:PATTERN, a comment, or empty; spaces around them mean nothing
 *   race:queue_push            in the text: queue_push anywhere
 *   race:^lib*.so$             * anything (also nothing), ^ the begin, $ the end
 *
 *   type            | of a race, PATTERN is compared with     | of a deadlock
 *   ----------------+-----------------------------------------+---------------------------------------------
 *   race            | function, file, module of every frame   |
 *                   | of both stacks; the variable            |
 *   race_top        | the same of the innermost frames        |
 *   deadlock, mutex |                                         | function, file, module of every frame; locks
 *   called_from_lib | module of every frame                   | module of every frame
 *   function, file  | that of every frame                     | that of every frame
 *   variable        | the variable                            | the locks
 *   thread, signal  | these are about reports that are not ours: accepted, match nothing, nobody is told so
 *
 * function, file and variable are ours. Three things are not as in ThreadSanitizer, where they look like mistakes: what it
 * would find only by trying again (`a*b$` in "abab", `b$` in "bb") is found; a $ or ^ inside a pattern stands for itself;
 * a type without a pattern is an error.
 *
 * Lists are the caller's; what they give out is theirs. They add up: several files, texts, in that order.
 */
#ifndef RV_REPORT_SUPPRESS_H
#define RV_REPORT_SUPPRESS_H

#include "report/race.h"

enum rv_suppression_type {
    RV_SUPPRESS_RACE,
    RV_SUPPRESS_RACE_TOP,
    RV_SUPPRESS_DEADLOCK,
    RV_SUPPRESS_MUTEX,
    RV_SUPPRESS_CALLED_FROM_LIB,
    RV_SUPPRESS_FUNCTION,
    RV_SUPPRESS_FILE,
    RV_SUPPRESS_VARIABLE,
    RV_SUPPRESS_THREAD,
    RV_SUPPRESS_SIGNAL,
    RV_SUPPRESS_COUNT
};
extern const char *const rv_suppression_names[RV_SUPPRESS_COUNT];

struct rv_suppression {
    enum rv_suppression_type type;
    char *pattern;
    char *file; /* where it stands */
    unsigned line;
    uint64_t matches; /* races and deadlocks so far */
};

enum { RV_SUPPRESS_MAX_LINE = 4096, RV_SUPPRESS_MAX_FILE = 16 << 20 }; /* bytes */

struct rv_suppressions;

struct rv_suppressions *rv_suppressions_new(void);
void rv_suppressions_free(struct rv_suppressions *list); /* also NULL */

/* Adds all entries of the file, or of the text, which errors call `name`. False: nothing was added, and *error (malloc'ed) is
 * "FILE:LINE:COLUMN: expected ...", or says why the file cannot be read. */
bool rv_suppressions_read(struct rv_suppressions *list, const char *path, char **error);
bool rv_suppressions_add(struct rv_suppressions *list, const char *text, size_t size, const char *name,
                         char **error);

/* The first entry that matches, or NULL. Every entry that does counts the match. */
const struct rv_suppression *rv_suppress_race(struct rv_suppressions *list, const struct rv_race_text *race);
const struct rv_suppression *rv_suppress_deadlock(struct rv_suppressions *list,
                                                  const struct rv_deadlock_text *deadlock);

/* The next entry that has matched nothing, from *cursor on (0 at first), or NULL: for "FILE:LINE: race:foo matched nothing". */
const struct rv_suppression *rv_suppressions_unused(const struct rv_suppressions *list, size_t *cursor);

/* Whether the pattern is found in the text. An empty text has nothing to be found in. */
bool rv_suppression_matches(const char *pattern, const char *text);

#endif
