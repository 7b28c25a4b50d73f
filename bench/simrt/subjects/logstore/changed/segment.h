/*
 * A piece of the log. Records are appended by who holds the store's append lock; when there is no room the segment is sealed, and
 * never written again until it is emptied.
 */
#ifndef SEGMENT_H
#define SEGMENT_H

#include "codec.h"

#include <stdatomic.h>

enum { SEGMENT_BYTES = 28 };

typedef struct segment {
    atomic_bool in_use, sealed;
    atomic_size_t used;
    atomic_int live; /* records that the index refers to */
    unsigned char bytes[SEGMENT_BYTES];
} segment;

void segment_begin(segment *piece);
void segment_empty(segment *piece);
/* False: no room. *offset is where the record lies. */
bool segment_append(segment *piece, const record *item, size_t *offset);
void segment_seal(segment *piece);

/* Without any lock: nothing of this segment will change. */
bool segment_is_settled(segment *piece);
size_t segment_room(segment *piece);
codec_result segment_read(segment *piece, size_t offset, record *item, size_t *size);

#endif
