#include "suite/fields.h"

#include <string.h>

/* In place; false: an escape that is none. */
static bool unescape(char *text) {
    char *to = text;
    for (const char *from = text; *from; from++) {
        char c = *from;
        if (c == '\\') {
            switch (*++from) {
            case '\\': c = '\\'; break;
            case 'n': c = '\n'; break;
            case 't': c = '\t'; break;
            default: return false;
            }
        }
        *to++ = c;
    }
    *to = 0;
    return true;
}

bool rv_fields_cut(struct rv_fields *line, char *text, size_t size) {
    line->count = 0;
    if (memchr(text, 0, size)) return false;
    text[size] = 0;
    for (char *rest = text, *field; (field = strsep(&rest, "\t"));) {
        if (line->count == RV_FIELDS_MOST || !unescape(field)) return false;
        line->list[line->count++] = field;
    }
    return true;
}

bool rv_fields_are(const struct rv_fields *line, const char *word, size_t count) {
    return line->count == count + 1 && strcmp(line->list[0], word) == 0;
}

bool rv_fields_number(const char *field, uint32_t max, uint32_t *number) {
    uint64_t value = 0;
    if (!*field) return false;
    for (const char *at = field; *at; at++) {
        if (*at < '0' || *at > '9') return false;
        value = value * 10 + (uint64_t)(*at - '0');
        if (value > max) return false;
    }
    *number = (uint32_t)value;
    return true;
}
