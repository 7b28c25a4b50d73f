/* A log of bytes that gathers what is written, and passes it on when its buffer is full. Here nothing more than counted
 * is passed on.
 *
 * All functions but bytelog_free may be called by several threads on the same log at the same time. What one call writes stays
 * together.
 */
#ifndef BYTELOG_H
#define BYTELOG_H

#include <stdbool.h>
#include <stddef.h>

typedef struct bytelog bytelog;

/* With a buffer of so many bytes (at least 1). NULL: no memory. */
bytelog *bytelog_new(size_t capacity);
void bytelog_free(bytelog *log);

/* false: more than fits into the buffer. */
bool bytelog_write(bytelog *log, const void *data, size_t size);
/* Passes on what is in the buffer; how many bytes. */
size_t bytelog_flush(bytelog *log);
size_t bytelog_buffered(bytelog *log);
/* Bytes that were written so far. */
size_t bytelog_written(bytelog *log);
/* Copies the last `size` bytes in the buffer, or as many as there are; how many. */
size_t bytelog_tail(bytelog *log, void *out, size_t size);
/* Forgets what is in the buffer. */
void bytelog_discard(bytelog *log);

#endif
