/* What git knows of the sources; outside a repository nothing. */
#ifndef RV_REGRESS_GIT_H
#define RV_REGRESS_GIT_H

#include <stdbool.h>
#include <stdint.h>

/* The commit that is checked out, 40 digits, with a "+" behind it if tracked files differ from it. malloc'ed; "": none. */
char *rv_git_commit(const char *directory);

/* A hunk of a difference between a commit and the files as they are. */
struct rv_hunk {
    char *file; /* as it is now, relative to the root of the repository */
    uint32_t old_line, old_count, new_line, new_count;
    char *text; /* its header and lines, as git shows them */
};

/* malloc'ed, *count of them; none if git does not tell. */
struct rv_hunk *rv_git_hunks(const char *directory, const char *commit, uint32_t *count);
struct rv_hunk *rv_git_read_hunks(const char *diff, uint32_t *count);
void rv_git_hunks_free(struct rv_hunk *hunks, uint32_t count);
/* The hunk that a line is in, of a file's new state or its old one; NULL: none. The nearest within a few lines counts, too. */
const struct rv_hunk *rv_git_hunk_at(const struct rv_hunk *hunks, uint32_t count, const char *file,
                                     uint32_t line, bool old);

#endif
