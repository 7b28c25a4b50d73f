/* Lines of the texts that ravel record keeps: each begins with a word that says what it is. */
#ifndef RV_REGRESS_SCAN_H
#define RV_REGRESS_SCAN_H

#include "report/failure_scan.h"

bool rv_scan_is(const char *word, size_t size, const char *expected);
/* The next line, past its first word, which must be this one. */
bool rv_scan_line_of(struct rv_scan *scan, const char *expected);
/* A line that is this word and a number up to max. */
bool rv_scan_line_number(struct rv_scan *scan, const char *word, uint64_t max, uint64_t *value);

#endif
