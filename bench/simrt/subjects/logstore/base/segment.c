#include "segment.h"

#include <string.h>

void segment_begin(segment *piece) {
    piece->used = 0;
    piece->live = 0;
    piece->sealed = false;
    piece->in_use = true;
}

void segment_empty(segment *piece) {
    piece->in_use = false;
    piece->sealed = false;
    piece->used = 0;
    piece->live = 0;
}

size_t segment_room(segment *piece) { return SEGMENT_BYTES - piece->used; }

bool segment_append(segment *piece, const record *item, size_t *offset) {
    unsigned char bytes[CODEC_MOST];
    size_t size = codec_size(item);
    if (size > segment_room(piece)) return false;
    codec_write(item, bytes);
    *offset = piece->used;
    piece->used += size;
    memcpy(piece->bytes + *offset, bytes, size);
    piece->live++;
    return true;
}

void segment_seal(segment *piece) { piece->sealed = true; }

bool segment_is_settled(segment *piece) { return piece->sealed; }

codec_result segment_read(segment *piece, size_t offset, record *item, size_t *size) {
    size_t used = piece->used, available = offset < used ? used - offset : 0;
    return codec_read(item, piece->bytes + offset, available, size);
}
