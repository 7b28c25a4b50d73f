/* Text for reports: owned strings that never fail (out of memory ends ravel with exit code 3), growing
 * buffers, and the one place that makes untrusted text harmless before it reaches a terminal or JSON. */
#ifndef RV_REPORT_TEXT_H
#define RV_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory for `count` things of `size` bytes; never NULL, also for 0. */
void *rv_text_alloc(size_t count, size_t size);
/* `old` with room for `count` things of `size` bytes; new bytes are not zeroed. */
void *rv_text_realloc(void *old, size_t count, size_t size);
char *rv_text_copy(const char *text); /* NULL becomes "" */
char *rv_text_copy_n(const char *text, size_t max);
char *rv_text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Frees *text and puts `fresh` (owned) in its place. */
void rv_text_set(char **text, char *fresh);

struct rv_text {
    char *data; /* NUL-terminated once something was added, else NULL */
    size_t size;
    size_t capacity;
};
void rv_text_add_n(struct rv_text *text, const char *data, size_t size);
void rv_text_add(struct rv_text *text, const char *data);
void rv_text_addf(struct rv_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* In double quotes, with \" \\ \n \t \r \xHH, as rv_scan_text (failure_scan.h) reads it. */
void rv_text_add_quoted(struct rv_text *text, const char *data, size_t size);
/* The buffer as an owned string ("" if empty); the text is empty afterwards. */
char *rv_text_take(struct rv_text *text);

/* A copy in which control characters, invalid UTF-8 and characters that change the direction of text are
 * written as \n, \t, \xHH. With `ascii` all bytes above 0x7e are. */
char *rv_text_harmless(const char *text, bool ascii);
/* A copy that is valid UTF-8: bytes that are not become U+FFFD. Controls stay (JSON escapes them). */
char *rv_text_utf8(const char *text);
/* Columns on a terminal of harmless text, and how many bytes of it fit into `columns`. */
size_t rv_text_columns(const char *text);
size_t rv_text_fit(const char *text, size_t columns);
/* Whether standard output may show UTF-8, by LC_ALL, LC_CTYPE, LANG. */
bool rv_text_utf8_locale(void);

#endif
