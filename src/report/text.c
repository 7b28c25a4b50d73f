#include "report/text.h"

#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory) {
    if (memory) return memory;
    fputs("ravel: out of memory\n", stderr);
    exit(3);
}

void *rv_text_alloc(size_t count, size_t size) { return checked(calloc(count ? count : 1, size ? size : 1)); }

void *rv_text_realloc(void *old, size_t count, size_t size) {
    return checked(reallocarray(old, count ? count : 1, size ? size : 1));
}

char *rv_text_copy(const char *text) { return checked(strdup(text ? text : "")); }

char *rv_text_copy_n(const char *text, size_t max) { return checked(strndup(text, max)); }

char *rv_text_format(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0) text = NULL;
    va_end(arguments);
    return checked(text);
}

void rv_text_set(char **text, char *fresh) {
    free(*text);
    *text = fresh;
}

void rv_text_add_n(struct rv_text *text, const char *data, size_t size) {
    if (text->size + size + 1 > text->capacity) {
        text->capacity = (text->size + size + 1) * 2;
        text->data = rv_text_realloc(text->data, text->capacity, 1);
    }
    memcpy(text->data + text->size, data, size);
    text->size += size;
    text->data[text->size] = '\0';
}

void rv_text_add(struct rv_text *text, const char *data) { rv_text_add_n(text, data, strlen(data)); }

void rv_text_addf(struct rv_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *piece = NULL;
    int size = vasprintf(&piece, format, arguments);
    va_end(arguments);
    if (size < 0) piece = NULL;
    checked(piece);
    rv_text_add_n(text, piece, (size_t)size);
    free(piece);
}

void rv_text_add_quoted(struct rv_text *text, const char *data, size_t size) {
    rv_text_add(text, "\"");
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)data[i];
        if (c == '"' || c == '\\')
            rv_text_addf(text, "\\%c", c);
        else if (c == '\n')
            rv_text_add(text, "\\n");
        else if (c == '\t')
            rv_text_add(text, "\\t");
        else if (c == '\r')
            rv_text_add(text, "\\r");
        else if (c < 0x20 || c == 0x7f)
            rv_text_addf(text, "\\x%02x", c);
        else
            rv_text_add_n(text, (const char *)&c, 1);
    }
    rv_text_add(text, "\"");
}

char *rv_text_take(struct rv_text *text) {
    char *data = text->data ? text->data : rv_text_copy("");
    *text = (struct rv_text){0};
    return data;
}

/* One code point at `text`; its length in bytes, 0 if it is no valid UTF-8 (overlong, surrogate, cut). */
static unsigned decode(const char *text, uint32_t *point) {
    const unsigned char *b = (const unsigned char *)text;
    if (b[0] < 0x80) return *point = b[0], 1;
    unsigned size = b[0] >= 0xf0 && b[0] < 0xf5   ? 4
                    : b[0] >= 0xe0 && b[0] < 0xf0 ? 3
                    : b[0] >= 0xc2 && b[0] < 0xe0 ? 2
                                                  : 0;
    if (!size) return 0;
    uint32_t value = b[0] & (0xffu >> (size + 1));
    for (unsigned i = 1; i < size; i++) {
        if ((b[i] & 0xc0) != 0x80) return 0;
        value = value << 6 | (b[i] & 0x3f);
    }
    if ((size == 3 && value < 0x800) || (size == 4 && (value < 0x10000 || value > 0x10ffff))) return 0;
    if (value >= 0xd800 && value < 0xe000) return 0;
    *point = value;
    return size;
}

/* Characters that would let text lie about where it stands: C1 controls, bidirectional marks. */
static bool deceptive(uint32_t point) {
    return (point >= 0x80 && point < 0xa0) || (point >= 0x200b && point <= 0x200f) ||
           (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}

char *rv_text_harmless(const char *text, bool ascii) {
    struct rv_text out = {0};
    while (*text) {
        uint32_t point = 0;
        unsigned size = decode(text, &point);
        bool plain = size == 1 ? point >= 0x20 && point < 0x7f : size > 1 && !ascii && !deceptive(point);
        if (plain) {
            rv_text_add_n(&out, text, size);
        } else if (*text == '\n') {
            rv_text_add(&out, "\\n");
        } else if (*text == '\t') {
            rv_text_add(&out, "\\t");
        } else {
            for (unsigned i = 0; i < (size ? size : 1); i++)
                rv_text_addf(&out, "\\x%02x", (unsigned char)text[i]);
        }
        text += size ? size : 1;
    }
    return rv_text_take(&out);
}

char *rv_text_utf8(const char *text) {
    struct rv_text out = {0};
    while (*text) {
        uint32_t point;
        unsigned size = decode(text, &point);
        rv_text_add_n(&out, size ? text : "\xef\xbf\xbd", size ? size : 3);
        text += size ? size : 1;
    }
    return rv_text_take(&out);
}

static unsigned columns_of(uint32_t point) {
    if (point >= 0x300 && point < 0x370) return 0; /* combining marks */
    bool wide = (point >= 0x1100 && point < 0x1160) || (point >= 0x2e80 && point < 0xa4d0) ||
                (point >= 0xac00 && point < 0xd7a4) || (point >= 0xf900 && point < 0xfb00) ||
                (point >= 0xfe30 && point < 0xfe70) || (point >= 0xff00 && point < 0xff61) ||
                (point >= 0x1f300 && point < 0x1fa00) || (point >= 0x20000 && point < 0x40000);
    return wide ? 2 : 1;
}

size_t rv_text_fit(const char *text, size_t columns) {
    size_t bytes = 0, used = 0;
    while (text[bytes]) {
        uint32_t point = 0;
        unsigned size = decode(text + bytes, &point);
        used += size ? columns_of(point) : 1;
        if (used > columns) break;
        bytes += size ? size : 1;
    }
    return bytes;
}

size_t rv_text_columns(const char *text) {
    size_t used = 0;
    while (*text) {
        uint32_t point = 0;
        unsigned size = decode(text, &point);
        used += size ? columns_of(point) : 1;
        text += size ? size : 1;
    }
    return used;
}

/* What the environment says of characters. */
static const char *locale_name(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) return value;
    }
    return "C";
}

bool rv_text_utf8_locale(void) {
    static char asked[64]; /* it is a file to be read, and asked for each result that is printed */
    static bool utf8;
    const char *name = locale_name();
    if (*asked && strcmp(name, asked) == 0) return utf8;
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (!locale) return false;
    utf8 = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
    freelocale(locale);
    size_t size = strlen(name) + 1;
    *asked = 0;
    if (size <= sizeof asked) memcpy(asked, name, size);
    return utf8;
}
