/* Text into a buffer of fixed size, where the C library must not be called. What does not fit is left out; `length` counts on, as
 * snprintf does. The buffer is always terminated, if it has a byte. */
#ifndef RV_BASE_OUT_H
#define RV_BASE_OUT_H

#include <stddef.h>
#include <stdint.h>

struct rv_out {
    char *data;
    size_t size;   /* of the buffer */
    size_t length; /* written, and what would have been */
};

void rv_out_char(struct rv_out *out, char c);
void rv_out_text(struct rv_out *out, const char *text);
void rv_out_number(struct rv_out *out, uint64_t number);
/* `size` bytes as printable ASCII: \n \t \\, else \xHH. */
void rv_out_shown(struct rv_out *out, const char *text, size_t size);
/* Columns that rv_out_shown needs for this byte. */
size_t rv_out_columns(char c);

#endif
