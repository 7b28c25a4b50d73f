/* Text that grows.
 *
 * All functions but strbuf_free may be called by several threads on the same buffer at the same time. Indices count
 * from 0; what lies outside of the text is refused (false, -1), never an error.
 */
#ifndef STRBUF_H
#define STRBUF_H

#include <stdbool.h>
#include <stddef.h>

typedef struct strbuf strbuf;

strbuf *strbuf_new(void); /* NULL: no memory */
void strbuf_free(strbuf *buffer);

size_t strbuf_length(strbuf *buffer);
int strbuf_char_at(strbuf *buffer, size_t index); /* -1: there is none */
bool strbuf_append(strbuf *buffer, const char *text);
/* Appends what is in `source`, which may be `buffer` itself. */
bool strbuf_append_buffer(strbuf *buffer, strbuf *source);
bool strbuf_insert(strbuf *buffer, size_t index, const char *text);
/* Takes out `count` characters, or as many as there are. */
bool strbuf_erase(strbuf *buffer, size_t index, size_t count);
/* Cuts the text off; it is never made longer. */
void strbuf_truncate(strbuf *buffer, size_t length);
/* Copies the text, cut off where `out` ends, with a NUL. How long the whole text is. */
size_t strbuf_copy(strbuf *buffer, char *out, size_t size);

#endif
