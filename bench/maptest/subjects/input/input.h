/* Reading from a block of memory as from a file, through a buffer, with a mark to go back to.
 *
 * All functions but input_free may be called by several threads on the same input at the same time. input_close makes
 * an end at once, also while others read: they then get nothing any more.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct input input;

/* Reads from a copy of `data`. NULL: no memory. */
input *input_new(const void *data, size_t size);
void input_free(input *in);

int input_read(input *in); /* the next byte; -1: at the end, or closed */
/* Up to `size` bytes; how many. */
size_t input_read_bytes(input *in, void *out, size_t size);
/* Passes over up to `count` bytes; how many. */
size_t input_skip(input *in, size_t count);
/* How many bytes are left. */
size_t input_available(input *in);
void input_mark(input *in);
bool input_reset(input *in); /* back to the mark, or the start; false: closed */
void input_close(input *in);

#endif
