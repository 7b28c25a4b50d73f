/* Lines that libravel writes to ravel's descriptor (RAVEL_TESTS): words and texts separated by tabs. Texts have \\ \n \t
 * escaped. The writer is the program under test, which may do anything to them: nothing is believed. */
#ifndef RV_SUITE_FIELDS_H
#define RV_SUITE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RV_FIELDS_MOST = 8 };

struct rv_fields {
    char *list[RV_FIELDS_MOST]; /* unescaped, in the line's own memory */
    size_t count;
};

/* Cuts the line up in place. False: more fields than there can be, an escape that is none, or a NUL in it. */
bool rv_fields_cut(struct rv_fields *line, char *text, size_t size);
/* Whether it is this word followed by `count` fields. */
bool rv_fields_are(const struct rv_fields *line, const char *word, size_t count);
/* A decimal number up to max, all of the field. */
bool rv_fields_number(const char *field, uint32_t max, uint32_t *number);

#endif
