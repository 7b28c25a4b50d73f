#include "regress/git.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/command.h"
#include "report/pairs.h"
#include "report/text.h"

enum { DIFF_MAX = 64 << 20, NEAR = 3 };

static char *git(const char *directory, const char *first, const char *second, const char *third,
                 const char *fourth) {
    char *argv[] = {(char[]){"git"},      (char[]){"-C"},      rv_text_copy(directory), rv_text_copy(first),
                    rv_text_copy(second), rv_text_copy(third), rv_text_copy(fourth),    NULL};
    char *error = NULL;
    size_t size;
    if (!fourth) {
        free(argv[6]);
        argv[6] = NULL;
    }
    if (!third) {
        free(argv[5]);
        argv[5] = NULL;
    }
    char *text = rv_command_output(argv, DIFF_MAX, &size, &error);
    free(error);
    for (int i = 2; i < 7; i++) free(argv[i]);
    return text;
}

char *rv_git_commit(const char *directory) {
    char *commit = git(directory, "rev-parse", "HEAD", NULL, NULL);
    size_t size = commit ? strspn(commit, "0123456789abcdef") : 0;
    if (size < 40 || size > 64) {
        free(commit);
        return rv_text_copy("");
    }
    char *dirty = git(directory, "status", "--porcelain", "--untracked-files=no", NULL);
    char *result = rv_text_format("%.40s%s", commit, dirty && *dirty ? "+" : "");
    free(dirty);
    free(commit);
    return result;
}

/* --- differences --- */

/* "b/src/a.c" up to the end of the line; "/dev/null": there is none. */
static char *path_of(const char *at) {
    size_t size = strcspn(at, "\t\n");
    if (size > 2 && (at[0] == 'a' || at[0] == 'b') && at[1] == '/') return rv_text_copy_n(at + 2, size - 2);
    return rv_text_copy_n(at, size);
}

static const char *next_line(const char *at) {
    const char *newline = strchr(at, '\n');
    return newline ? newline + 1 : at + strlen(at);
}

/* "@@ -12,3 +12,4 @@": a count of 1 is left out. */
static bool take_ranges(const char *at, struct rv_hunk *hunk) {
    unsigned numbers[4] = {0, 1, 0, 1};
    int used = 0;
    if (sscanf(at, "@@ -%u%n", &numbers[0], &used) < 1 || !used) return false;
    at += used;
    if (*at == ',' && sscanf(at, ",%u%n", &numbers[1], &used) == 1) at += used;
    if (sscanf(at, " +%u%n", &numbers[2], &used) < 1) return false;
    at += used;
    if (*at == ',') sscanf(at, ",%u", &numbers[3]);
    hunk->old_line = numbers[0], hunk->old_count = numbers[1];
    hunk->new_line = numbers[2], hunk->new_count = numbers[3];
    return true;
}

struct rv_hunk *rv_git_read_hunks(const char *diff, uint32_t *count) {
    struct rv_hunk *hunks = rv_text_alloc(1, sizeof *hunks);
    char *old = rv_text_copy(""), *new = rv_text_copy("");
    *count = 0;
    for (const char *at = diff, *end; *at; at = end) {
        struct rv_hunk hunk = {0};
        end = next_line(at);
        if (strncmp(at, "--- ", 4) == 0) rv_text_set(&old, path_of(at + 4));
        if (strncmp(at, "+++ ", 4) == 0) rv_text_set(&new, path_of(at + 4));
        if (strncmp(at, "@@ ", 3) != 0 || !take_ranges(at, &hunk)) continue;
        while (*end == '+' || *end == '-' || *end == ' ' || *end == '\\') end = next_line(end);
        hunk.file = rv_text_copy(strcmp(new, "/dev/null") == 0 ? old : new);
        hunk.text = rv_text_copy_n(at, (size_t)(end - at));
        hunks = rv_text_realloc(hunks, *count + 1, sizeof *hunks);
        hunks[(*count)++] = hunk;
    }
    free(old);
    free(new);
    return hunks;
}

struct rv_hunk *rv_git_hunks(const char *directory, const char *commit, uint32_t *count) {
    char *plain = rv_text_copy_n(commit, strcspn(commit, "+"));
    char *diff = *plain ? git(directory, "diff", "--unified=0", "--no-color", plain) : NULL;
    struct rv_hunk *hunks = rv_git_read_hunks(diff ? diff : "", count);
    free(diff);
    free(plain);
    return hunks;
}

void rv_git_hunks_free(struct rv_hunk *hunks, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        free(hunks[i].file);
        free(hunks[i].text);
    }
    free(hunks);
}

static uint32_t distance(const struct rv_hunk *hunk, uint32_t line, bool old) {
    uint32_t first = old ? hunk->old_line : hunk->new_line, size = old ? hunk->old_count : hunk->new_count;
    uint32_t last = size ? first + size - 1 : first;
    return line < first ? first - line : line > last ? line - last : 0;
}

const struct rv_hunk *rv_git_hunk_at(const struct rv_hunk *hunks, uint32_t count, const char *file,
                                     uint32_t line, bool old) {
    const struct rv_hunk *nearest = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (!rv_pairs_same_file(hunks[i].file, file)) continue;
        uint32_t apart = distance(&hunks[i], line, old);
        if (apart <= NEAR && (!nearest || apart < distance(nearest, line, old))) nearest = &hunks[i];
    }
    return nearest;
}
