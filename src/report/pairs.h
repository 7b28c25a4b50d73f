/* The file of `ravel races --pairs=FILE`: the pairs of statements that the user wants to be looked at, one a line.
 *
 *   # comment
 *   src/queue.c:41 src/queue.c:57            # also here
 *   "my queue.c":41 "my \"own\" queue.c":57  names with spaces; \" and \\ in quotes
 *
 * A file name means a location's file if they are equal, or if one is the end of the other from a slash on: queue.c and
 * /home/me/src/queue.c both mean src/queue.c, my_queue.c and test/queue.c do not. A "./" at the begin means nothing.
 */
#ifndef RV_REPORT_PAIRS_H
#define RV_REPORT_PAIRS_H

#include "report/failure.h"

struct rv_statement_name {
    char *file;
    unsigned line; /* at least 1 */
};

struct rv_pair {
    struct rv_statement_name a, b;
    unsigned line;    /* of the file, where the pair stands */
    uint64_t matches; /* so far */
};

enum { RV_PAIRS_MAX_FILE = 16 << 20 }; /* bytes */

struct rv_pairs {
    char *file; /* that it was read from */
    struct rv_pair *pairs;
    size_t count;
};

/* False: *error (malloc'ed) is "FILE:LINE:COLUMN: expected ...", or says why the file cannot be read; the pairs are empty. A
 * file without a pair is an error, too. */
bool rv_pairs_read(struct rv_pairs *pairs, const char *path, char **error);
bool rv_pairs_from_text(struct rv_pairs *pairs, const char *text, size_t size, const char *name,
                        char **error);
void rv_pairs_free(struct rv_pairs *pairs);

/* Whether the two places are those of pair `index`, in either order; counts the match. */
bool rv_pairs_match(struct rv_pairs *pairs, size_t index, const struct rv_location *first,
                    const struct rv_location *second);
/* The same for all of the pairs. */
bool rv_pairs_match_any(struct rv_pairs *pairs, const struct rv_location *first,
                        const struct rv_location *second);
/* The next pair that was never matched, from *cursor on (0 at first), or NULL. */
const struct rv_pair *rv_pairs_unmatched(const struct rv_pairs *pairs, size_t *cursor);

/* Whether the given name means the location's file; neither does if empty. */
bool rv_pairs_same_file(const char *given, const char *file);

#endif
