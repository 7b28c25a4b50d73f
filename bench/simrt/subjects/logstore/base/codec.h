/*
 * How records lie in a segment: kind, lengths of key and value, check sum, each a byte; then key and value. Reads of what cannot be
 * a record fail.
 */
#ifndef CODEC_H
#define CODEC_H

#include <stdbool.h>
#include <stddef.h>

enum {
    CODEC_KEY = 8,
    CODEC_VALUE = 12,
    CODEC_HEADER = 4,
    CODEC_MOST = CODEC_HEADER + CODEC_KEY + CODEC_VALUE
};

typedef enum codec_kind { CODEC_PUT = 'P', CODEC_REMOVE = 'R' } codec_kind;

typedef struct record {
    codec_kind kind;
    char key[CODEC_KEY + 1];
    char value[CODEC_VALUE + 1];
} record;

typedef enum codec_result { CODEC_OK, CODEC_TOO_LONG, CODEC_CUT, CODEC_CORRUPT } codec_result;

codec_result codec_make(record *made, codec_kind kind, const char *key, const char *value);
size_t codec_size(const record *item);
void codec_write(const record *item, unsigned char *to);
/* *size is what the record takes. */
codec_result codec_read(record *item, const unsigned char *from, size_t available, size_t *size);

#endif
