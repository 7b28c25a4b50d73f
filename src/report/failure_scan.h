/* The words of one line of a file that is ours: of a failure (failure_format.h), a trace, a list. Every function says what
 * it expected and fails for good: after the first error all further calls return false without touching their results.
 * Errors begin with FILE:LINE, with `columns` FILE:LINE:COLUMN, where the field that was not understood begins. */
#ifndef RV_REPORT_FAILURE_SCAN_H
#define RV_REPORT_FAILURE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_scan {
    const char *name; /* of the file, for errors */
    const char *next; /* unread input; input is not NUL-terminated: `end` bounds it */
    const char *end;  /* of the input */
    const char *at;   /* in the current line */
    const char *stop; /* of the current line */
    unsigned line;
    bool columns;      /* errors say the column, too (in bytes, from 1) */
    const char *start; /* of the current line */
    const char *field; /* what an error is about */
    char *error;       /* malloc'ed; NULL: none so far */
};

/* Takes the next line; false at the end of input. A line must end with a newline. */
bool rv_scan_line(struct rv_scan *scan);
bool rv_scan_error(struct rv_scan *scan, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same, about this place of the line. */
bool rv_scan_error_at(struct rv_scan *scan, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The next word, up to a space; not terminated. */
bool rv_scan_word(struct rv_scan *scan, const char **word, size_t *size, const char *expected);
bool rv_scan_number(struct rv_scan *scan, uint64_t *value, uint64_t max, const char *expected);
bool rv_scan_signed(struct rv_scan *scan, int64_t *value, int64_t min, int64_t max, const char *expected);
/* A quoted text; malloc'ed. */
bool rv_scan_text(struct rv_scan *scan, char **text, const char *expected);
bool rv_scan_more(const struct rv_scan *scan); /* the line has another field */
bool rv_scan_end(struct rv_scan *scan);        /* ... and must not */
/* Parses digits only: [text, text+size) as a number up to max. */
bool rv_scan_digits(const char *text, size_t size, uint64_t max, uint64_t *value);

#endif
