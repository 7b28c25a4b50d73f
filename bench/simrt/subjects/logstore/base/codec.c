#include "codec.h"

#include <string.h>

static unsigned char check_sum(const unsigned char *bytes, size_t count) {
    unsigned one = 1, two = 0;
    for (size_t i = 0; i < count; i++) {
        one = (one + bytes[i]) % 251;
        two = (two + one) % 251;
    }
    return (unsigned char)(one ^ two);
}

codec_result codec_make(record *made, codec_kind kind, const char *key, const char *value) {
    if (strlen(key) > CODEC_KEY || strlen(value) > CODEC_VALUE) return CODEC_TOO_LONG;
    made->kind = kind;
    memcpy(made->key, key, strlen(key) + 1);
    memcpy(made->value, value, strlen(value) + 1);
    return CODEC_OK;
}

size_t codec_size(const record *item) { return CODEC_HEADER + strlen(item->key) + strlen(item->value); }

void codec_write(const record *item, unsigned char *to) {
    size_t key = strlen(item->key), value = strlen(item->value);
    to[0] = (unsigned char)item->kind;
    to[1] = (unsigned char)key;
    to[2] = (unsigned char)value;
    memcpy(to + CODEC_HEADER, item->key, key);
    memcpy(to + CODEC_HEADER + key, item->value, value);
    to[3] = check_sum(to + CODEC_HEADER, key + value);
}

codec_result codec_read(record *item, const unsigned char *from, size_t available, size_t *size) {
    if (available < CODEC_HEADER) return CODEC_CUT;
    size_t key = from[1], value = from[2];
    if ((from[0] != CODEC_PUT && from[0] != CODEC_REMOVE) || key > CODEC_KEY || value > CODEC_VALUE)
        return CODEC_CORRUPT;
    *size = CODEC_HEADER + key + value;
    if (available < *size) return CODEC_CUT;
    if (from[3] != check_sum(from + CODEC_HEADER, key + value)) return CODEC_CORRUPT;
    item->kind = (codec_kind)from[0];
    memcpy(item->key, from + CODEC_HEADER, key);
    item->key[key] = '\0';
    memcpy(item->value, from + CODEC_HEADER + key, value);
    item->value[value] = '\0';
    return CODEC_OK;
}
