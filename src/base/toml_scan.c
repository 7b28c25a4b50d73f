#include "base/toml_scan.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rv_toml_fail(struct rv_toml_scan *scan, const char *at, const char *format, ...) {
    if (scan->failed) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(scan->error->message, sizeof scan->error->message, format, arguments);
    va_end(arguments);
    scan->failed = true;
    scan->error->line = scan->line;
    scan->error->column = at >= scan->line_start ? (unsigned)(at - scan->line_start) + 1 : 1;
    return false;
}

void *rv_toml_new(struct rv_toml_scan *scan, size_t size) {
    void *memory = rv_arena_alloc(scan->arena, size);
    if (!memory) rv_toml_fail(scan, scan->at, "no room for more");
    return memory;
}

void rv_toml_skip_blanks(struct rv_toml_scan *scan) {
    while (rv_toml_is(scan, ' ') || rv_toml_is(scan, '\t')) scan->at++;
}

/* Past a newline that stands here. */
static bool take_newline(struct rv_toml_scan *scan) {
    if (rv_toml_is(scan, '\r') && scan->end - scan->at > 1 && scan->at[1] == '\n') scan->at++;
    if (!rv_toml_is(scan, '\n')) return false;
    scan->line_start = ++scan->at;
    scan->line++;
    return true;
}

bool rv_toml_skip_newline(struct rv_toml_scan *scan) {
    rv_toml_skip_blanks(scan);
    if (rv_toml_is(scan, '#'))
        while (scan->at < scan->end && *scan->at != '\n' && *scan->at != '\r') scan->at++;
    return take_newline(scan);
}

void rv_toml_skip_lines(struct rv_toml_scan *scan) {
    while (rv_toml_skip_newline(scan)) {}
}

/* --- strings --- */

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void put_utf8(char **to, uint32_t code) {
    if (code < 0x80) {
        *(*to)++ = (char)code;
    } else if (code < 0x800) {
        *(*to)++ = (char)(0xc0 | code >> 6);
        *(*to)++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *(*to)++ = (char)(0xe0 | code >> 12);
        *(*to)++ = (char)(0x80 | (code >> 6 & 0x3f));
        *(*to)++ = (char)(0x80 | (code & 0x3f));
    } else {
        *(*to)++ = (char)(0xf0 | code >> 18);
        *(*to)++ = (char)(0x80 | (code >> 12 & 0x3f));
        *(*to)++ = (char)(0x80 | (code >> 6 & 0x3f));
        *(*to)++ = (char)(0x80 | (code & 0x3f));
    }
}

static bool take_unicode(struct rv_toml_scan *scan, int digits, char **to) {
    const char *begin = scan->at - 2; /* the backslash */
    uint32_t code = 0;
    for (int i = 0; i < digits; i++, scan->at++) {
        int digit = scan->at < scan->end ? hex_digit(*scan->at) : -1;
        if (digit < 0) return rv_toml_fail(scan, scan->at, "expected %d hexadecimal digits", digits);
        code = code << 4 | (uint32_t)digit;
    }
    if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return rv_toml_fail(scan, begin, "expected the code of a character, other than 0");
    put_utf8(to, code);
    return true;
}

/* What follows a backslash; in strings of several lines one at the end of a line joins it with the next text. */
static bool take_escape(struct rv_toml_scan *scan, bool lines, char **to) {
    static const char letters[] = "btnfre\"\\", meant[] = "\b\t\n\f\r\033\"\\";
    const char *backslash = scan->at++;
    const char *letter = scan->at < scan->end ? strchr(letters, *scan->at) : NULL;
    if (letter && *letter) {
        scan->at++;
        *(*to)++ = meant[letter - letters];
        return true;
    }
    if (rv_toml_is(scan, 'u') || rv_toml_is(scan, 'U')) {
        int digits = *scan->at++ == 'u' ? 4 : 8;
        return take_unicode(scan, digits, to);
    }
    rv_toml_skip_blanks(scan);
    if (!lines || !take_newline(scan))
        return rv_toml_fail(scan, backslash,
                            "expected one of \\b \\t \\n \\f \\r \\e \\\" \\\\ \\uXXXX \\UXXXXXXXX");
    do rv_toml_skip_blanks(scan);
    while (take_newline(scan));
    return true;
}

/* One character that stands for itself: a byte of ASCII, or a whole sequence of UTF-8. */
static bool take_plain(struct rv_toml_scan *scan, char **to) {
    unsigned char c = (unsigned char)*scan->at;
    size_t more = c < 0x80                ? 0
                  : c >= 0xc2 && c < 0xe0 ? 1
                  : c >= 0xe0 && c < 0xf0 ? 2
                  : c >= 0xf0 && c < 0xf5 ? 3
                                          : 9;
    uint32_t code = more == 0 ? c : more == 1 ? c & 0x1f : more == 2 ? c & 0x0f : c & 0x07;
    if ((c < 0x20 && c != '\t') || c == 0x7f)
        return rv_toml_fail(scan, scan->at, "a control character, which has to be escaped");
    bool good = more < (size_t)(scan->end - scan->at);
    for (size_t i = 1; good && i <= more; i++) {
        good = ((unsigned char)scan->at[i] & 0xc0) == 0x80;
        code = code << 6 | ((unsigned char)scan->at[i] & 0x3f);
    }
    good = good && !(more == 2 && (code < 0x800 || (code >= 0xd800 && code < 0xe000))) &&
           !(more == 3 && (code < 0x10000 || code > 0x10ffff));
    if (!good) return rv_toml_fail(scan, scan->at, "expected UTF-8");
    for (size_t i = 0; i <= more; i++) *(*to)++ = *scan->at++;
    return true;
}

/* How many of the quote stand here in a row, at most five: three that close, and two before them that belong to the text. */
static size_t quotes_here(const struct rv_toml_scan *scan, char quote) {
    size_t count = 0;
    while (count < 5 && scan->end - scan->at > (ptrdiff_t)count && scan->at[count] == quote) count++;
    return count;
}

/* The text up to behind what closes it. It never gets longer than in the file. */
static bool take_text(struct rv_toml_scan *scan, char quote, bool lines, char *to) {
    while (!scan->failed && scan->at < scan->end) {
        size_t quotes = quotes_here(scan, quote);
        if (quotes >= (lines ? 3u : 1u)) {
            size_t kept = lines ? quotes - 3 : 0;
            for (size_t i = 0; i < kept; i++) *to++ = quote;
            scan->at += lines ? quotes : 1;
            return true;
        }
        const char *begin = scan->at;
        if (lines && take_newline(scan)) {
            while (begin < scan->at) *to++ = *begin++;
        } else if (*scan->at == '\n' ||
                   (*scan->at == '\r' && scan->end - scan->at > 1 && scan->at[1] == '\n')) {
            break;
        } else if (*scan->at == '\\' && quote == '"') {
            take_escape(scan, lines, &to);
        } else {
            take_plain(scan, &to);
        }
    }
    return rv_toml_fail(scan, scan->at, "expected %s to close the string",
                        quote == '"' ? (lines ? "\"\"\"" : "\"") : (lines ? "'''" : "'"));
}

const char *rv_toml_string(struct rv_toml_scan *scan, bool key) {
    char quote = *scan->at;
    bool lines = !key && quotes_here(scan, quote) >= 3;
    scan->at += lines ? 3 : 1;
    if (lines) take_newline(scan);
    /* Where it ends, found in advance: memory for no more than that. */
    const char *stop = scan->at;
    for (size_t run = 0; stop < scan->end; stop++) {
        if (lines ? run == 5 || (run >= 3 && *stop != quote) : *stop == quote || *stop == '\n') break;
        run = *stop == quote ? run + 1 : 0;
        if (*stop == '\\' && quote == '"' && stop + 1 < scan->end) stop++;
    }
    size_t most = (size_t)(stop - scan->at);
    char *text = rv_toml_new(scan, most + 1);
    if (!text || !take_text(scan, quote, lines, text)) return NULL;
    assert(strlen(text) <= most);
    return text;
}

/* --- numbers --- */

enum { LONGEST_NUMBER = 64 };

static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '+' || c == '-' || c == '.' || c == ':';
}

static bool digits_of(const char *text, unsigned base, uint64_t *value) {
    *value = 0;
    if (!*text) return false;
    for (; *text; text++) {
        int digit = hex_digit(*text);
        if (digit < 0 || (unsigned)digit >= base) return false;
        if (__builtin_mul_overflow(*value, (uint64_t)base, value) ||
            __builtin_add_overflow(*value, (uint64_t)digit, value))
            return false;
    }
    return true;
}

static bool as_integer(const char *text, struct rv_toml *value) {
    bool negative = *text == '-';
    const char *digits = text + (*text == '-' || *text == '+');
    unsigned base = digits[0] != '0'   ? 10
                    : digits[1] == 'x' ? 16
                    : digits[1] == 'o' ? 8
                    : digits[1] == 'b' ? 2
                                       : 10;
    uint64_t number;
    if (base != 10 && digits != text) return false;
    if (base == 10 && digits[0] == '0' && digits[1]) return false;
    if (!digits_of(base == 10 ? digits : digits + 2, base, &number)) return false;
    if (number > (uint64_t)INT64_MAX + negative) return false;
    value->type = RV_TOML_INTEGER;
    value->integer = negative ? (int64_t)-number : (int64_t)number;
    value->number = (double)value->integer;
    return true;
}

/* digits, and then a fraction, an exponent or both. */
static bool is_float(const char *text) {
    size_t whole = strspn(text += *text == '-' || *text == '+', "0123456789"), part;
    bool any = false;
    if (whole == 0 || (whole > 1 && *text == '0')) return false;
    text += whole;
    if (*text == '.') {
        if ((part = strspn(++text, "0123456789")) == 0) return false;
        text += part;
        any = true;
    }
    if (*text == 'e' || *text == 'E') {
        text++;
        text += *text == '-' || *text == '+';
        if ((part = strspn(text, "0123456789")) == 0) return false;
        text += part;
        any = true;
    }
    return any && *text == 0;
}

bool rv_toml_scalar(struct rv_toml_scan *scan, struct rv_toml *value) {
    char word[LONGEST_NUMBER + 1];
    size_t size = 0;
    const char *begin = scan->at;
    bool good = true;
    while (scan->at < scan->end && is_word(*scan->at)) {
        char c = *scan->at++;
        bool inside = scan->at - begin > 1 && hex_digit(scan->at[-2]) >= 0 && scan->at < scan->end &&
                      hex_digit(*scan->at) >= 0;
        if (c == '_') {
            good = good && inside;
        } else {
            if (size < LONGEST_NUMBER) word[size] = c;
            size++;
        }
    }
    good = good && size > 0 && size <= LONGEST_NUMBER;
    word[good ? size : 0] = 0;
    value->type = RV_TOML_BOOLEAN;
    value->boolean = strcmp(word, "true") == 0;
    if (value->boolean || strcmp(word, "false") == 0 || (good && as_integer(word, value))) return true;
    if (!good || !is_float(word)) {
        scan->at = begin;
        return rv_toml_fail(scan, begin,
                            "expected a value: a string in quotes, a number, true, false, [ or {");
    }
    value->type = RV_TOML_FLOAT;
    value->number = strtod(word, NULL);
    return true;
}
