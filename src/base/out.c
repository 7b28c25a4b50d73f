#include "base/out.h"

#include <stdbool.h>

void rv_out_char(struct rv_out *out, char c) {
    if (out->length + 1 < out->size) {
        out->data[out->length] = c;
        out->data[out->length + 1] = 0;
    } else if (out->length == 0 && out->size) {
        out->data[0] = 0;
    }
    out->length++;
}

void rv_out_text(struct rv_out *out, const char *text) {
    if (out->length == 0 && out->size) out->data[0] = 0;
    while (*text) rv_out_char(out, *text++);
}

void rv_out_number(struct rv_out *out, uint64_t number) {
    char digits[20];
    int count = 0;
    do digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count) rv_out_char(out, digits[--count]);
}

static bool is_printable(char c) { return c >= ' ' && c <= '~'; }

void rv_out_shown(struct rv_out *out, const char *text, size_t size) {
    static const char hex[] = "0123456789abcdef";
    for (const char *end = text + size; text < end; text++) {
        unsigned char byte = (unsigned char)*text;
        if (is_printable(*text) && byte != '\\') {
            rv_out_char(out, *text);
            continue;
        }
        rv_out_char(out, '\\');
        if (byte == '\\' || byte == '\n' || byte == '\t') {
            rv_out_char(out, byte == '\n' ? 'n' : byte == '\t' ? 't' : '\\');
        } else {
            rv_out_char(out, 'x');
            rv_out_char(out, hex[byte >> 4]);
            rv_out_char(out, hex[byte & 15]);
        }
    }
}

size_t rv_out_columns(char c) {
    if (c == '\\' || c == '\n' || c == '\t') return 2;
    return is_printable(c) ? 1 : 4;
}
