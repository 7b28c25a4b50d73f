/* What the files of the TOML reader share: the place in the text, and the scalars. */
#ifndef RV_BASE_TOML_SCAN_H
#define RV_BASE_TOML_SCAN_H

#include "base/toml.h"

struct rv_toml_scan {
    struct rv_arena *arena;
    const char *at, *end;
    const char *line_start;
    unsigned line;
    bool failed;
    struct rv_toml_error *error;
};

/* For good: the first error counts. False. */
bool rv_toml_fail(struct rv_toml_scan *scan, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Zeroed; NULL: failed. */
void *rv_toml_new(struct rv_toml_scan *scan, size_t size);
static inline bool rv_toml_is(const struct rv_toml_scan *scan, char c) {
    return scan->at < scan->end && *scan->at == c;
}
void rv_toml_skip_blanks(struct rv_toml_scan *scan); /* spaces and tabs */
/* Past the end of a line, with a comment before it; false: something else is there, or the text is over. */
bool rv_toml_skip_newline(struct rv_toml_scan *scan);
void rv_toml_skip_lines(struct rv_toml_scan *scan); /* blanks, comments, ends of lines */

/* A string that begins here, of any of the four kinds; `key`: not of several lines. NULL: failed. */
const char *rv_toml_string(struct rv_toml_scan *scan, bool key);
/* A number or boolean. */
bool rv_toml_scalar(struct rv_toml_scan *scan, struct rv_toml *value);

#endif
