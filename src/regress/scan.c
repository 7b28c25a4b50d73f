#include "regress/scan.h"

#include <stdio.h>
#include <string.h>

bool rv_scan_is(const char *word, size_t size, const char *expected) {
    return size == strlen(expected) && memcmp(word, expected, size) == 0;
}

bool rv_scan_line_of(struct rv_scan *scan, const char *expected) {
    const char *word;
    size_t size;
    char words[64];
    snprintf(words, sizeof words, "\"%s\"", expected);
    if (!rv_scan_line(scan)) {
        if (scan->error) return false;
        scan->line++;
        scan->start = scan->end;
        return rv_scan_error_at(scan, scan->end, "the text is cut off, expected %s", words);
    }
    return rv_scan_word(scan, &word, &size, words) &&
           (rv_scan_is(word, size, expected) || rv_scan_error_at(scan, word, "expected %s", words));
}

bool rv_scan_line_number(struct rv_scan *scan, const char *word, uint64_t max, uint64_t *value) {
    return rv_scan_line_of(scan, word) && rv_scan_number(scan, value, max, "a number") && rv_scan_end(scan);
}
