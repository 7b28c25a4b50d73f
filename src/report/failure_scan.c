#include "report/failure_scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/text.h"

static bool fail(struct rv_scan *scan, const char *format, va_list arguments) {
    char *what = NULL;
    if (vasprintf(&what, format, arguments) < 0) what = NULL;
    char *harmless = rv_text_harmless(what ? what : "error", true);
    if (scan->columns) {
        size_t column = scan->field ? (size_t)(scan->field - scan->start) + 1 : 1;
        scan->error = rv_text_format("%s:%u:%zu: %s", scan->name, scan->line, column, harmless);
    } else {
        scan->error = rv_text_format("%s:%u: %s", scan->name, scan->line, harmless);
    }
    free(harmless);
    free(what);
    return false;
}

bool rv_scan_error(struct rv_scan *scan, const char *format, ...) {
    if (scan->error) return false;
    va_list arguments;
    va_start(arguments, format);
    fail(scan, format, arguments);
    va_end(arguments);
    return false;
}

bool rv_scan_error_at(struct rv_scan *scan, const char *field, const char *format, ...) {
    if (scan->error) return false;
    scan->field = field;
    va_list arguments;
    va_start(arguments, format);
    fail(scan, format, arguments);
    va_end(arguments);
    return false;
}

bool rv_scan_line(struct rv_scan *scan) {
    if (scan->error || scan->next == scan->end) return false;
    scan->line++;
    scan->start = scan->field = scan->next;
    const char *newline = memchr(scan->next, '\n', (size_t)(scan->end - scan->next));
    if (!newline) return rv_scan_error(scan, "the file is cut off in this line");
    const char *nul = memchr(scan->next, '\0', (size_t)(newline - scan->next));
    if (nul) return rv_scan_error_at(scan, nul, "a NUL byte, not text");
    scan->at = scan->next;
    scan->stop = newline;
    scan->next = newline + 1;
    while (scan->at < scan->stop && *scan->at == ' ') scan->at++;
    return true;
}

bool rv_scan_more(const struct rv_scan *scan) { return !scan->error && scan->at < scan->stop; }

bool rv_scan_end(struct rv_scan *scan) {
    if (scan->error) return false;
    if (scan->at < scan->stop) return rv_scan_error_at(scan, scan->at, "expected the end of the line");
    return true;
}

/* Past one field: one space or the end of the line must follow. */
static bool finish_field(struct rv_scan *scan, const char *expected) {
    if (scan->at == scan->stop) return true;
    if (*scan->at != ' ') return rv_scan_error_at(scan, scan->at, "expected a space after %s", expected);
    scan->at++;
    return true;
}

bool rv_scan_word(struct rv_scan *scan, const char **word, size_t *size, const char *expected) {
    if (scan->error) return false;
    *word = scan->field = scan->at;
    while (scan->at < scan->stop && *scan->at != ' ') scan->at++;
    *size = (size_t)(scan->at - *word);
    if (*size == 0) return rv_scan_error(scan, "expected %s", expected);
    return finish_field(scan, expected);
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

static bool parse(const char *text, size_t size, unsigned base, uint64_t max, uint64_t *value) {
    uint64_t result = 0;
    if (size == 0 || size > 20) return false;
    for (size_t i = 0; i < size; i++) {
        int digit = hex_digit(text[i]);
        if (digit < 0 || (unsigned)digit >= base) return false;
        if (__builtin_mul_overflow(result, base, &result)) return false;
        if (__builtin_add_overflow(result, (uint64_t)digit, &result)) return false;
    }
    if (result > max) return false;
    *value = result;
    return true;
}

bool rv_scan_digits(const char *text, size_t size, uint64_t max, uint64_t *value) {
    return parse(text, size, 10, max, value);
}

bool rv_scan_number(struct rv_scan *scan, uint64_t *value, uint64_t max, const char *expected) {
    const char *word;
    size_t size;
    if (!rv_scan_word(scan, &word, &size, expected)) return false;
    bool hex = size > 2 && word[0] == '0' && word[1] == 'x';
    if (hex ? parse(word + 2, size - 2, 16, max, value) : parse(word, size, 10, max, value)) return true;
    return rv_scan_error(scan, "expected %s, a number up to %llu", expected, (unsigned long long)max);
}

bool rv_scan_signed(struct rv_scan *scan, int64_t *value, int64_t min, int64_t max, const char *expected) {
    const char *word;
    size_t size;
    uint64_t magnitude;
    if (!rv_scan_word(scan, &word, &size, expected)) return false;
    bool negative = word[0] == '-';
    if (parse(word + negative, size - negative, 10, (uint64_t)INT64_MAX + negative, &magnitude)) {
        *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
        if (*value >= min && *value <= max) return true;
    }
    return rv_scan_error(scan, "expected %s, a number from %lld to %lld", expected, (long long)min,
                         (long long)max);
}

/* One escape after the backslash; -1: none of ours. */
static int unescape(struct rv_scan *scan) {
    char c = scan->at < scan->stop ? *scan->at++ : '\0';
    switch (c) {
    case '"':
    case '\\': return c;
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'x': {
        if (scan->stop - scan->at < 2) return -1;
        int high = hex_digit(scan->at[0]), low = hex_digit(scan->at[1]);
        scan->at += 2;
        return high < 0 || low < 0 || high + low == 0 ? -1 : high * 16 + low;
    }
    default: return -1;
    }
}

bool rv_scan_text(struct rv_scan *scan, char **text, const char *expected) {
    struct rv_text out = {0};
    if (scan->error) return false;
    scan->field = scan->at;
    if (scan->at == scan->stop || *scan->at != '"')
        return rv_scan_error(scan, "expected %s in double quotes", expected);
    scan->at++;
    while (scan->at < scan->stop && *scan->at != '"') {
        scan->field = scan->at;
        int c = (unsigned char)*scan->at++;
        if (c == '\\') c = unescape(scan);
        if (c < 0) {
            free(out.data);
            return rv_scan_error(scan, "unknown escape in %s: expected \\\" \\\\ \\n \\t \\r or \\xHH",
                                 expected);
        }
        char byte = (char)c;
        rv_text_add_n(&out, &byte, 1);
    }
    if (scan->at == scan->stop) {
        free(out.data);
        return rv_scan_error_at(scan, scan->stop, "no closing quote after %s", expected);
    }
    scan->at++;
    if (!finish_field(scan, expected)) {
        free(out.data);
        return false;
    }
    *text = rv_text_take(&out);
    return true;
}
