/* Memory and string functions for the hooks of these names: what libc's do, without libc.
 *
 * They serve the program itself, also before anything is initialised and when it runs outside ravel, so they are
 * fast for every size: small sizes by a few overlapping loads and stores, middle ones by vectors of 16 bytes
 * (SSE2, which every x86-64 has), large copies by rep movsb. Loads that may reach beyond the end of a
 * string are aligned, so that they never leave its page.
 */
#ifndef RV_RUNTIME_BYTES_H
#define RV_RUNTIME_BYTES_H

#include <stddef.h>

void rv_bytes_move(void *to, const void *from, size_t size); /* may overlap */
void rv_bytes_set(void *to, int byte, size_t size);
/* Bytes at the start in which both are equal; at most size. */
size_t rv_bytes_common(const void *a, const void *b, size_t size);
/* Offset of the first such byte; size: there is none. */
size_t rv_bytes_find(const void *from, int byte, size_t size);
/* The same for the last one. */
size_t rv_bytes_find_last(const void *from, int byte, size_t size);

size_t rv_text_length(const char *text);
/* Offset of the first such byte or of the end, whichever comes first. */
size_t rv_text_find(const char *text, int byte);
/* Offset of the first difference, or of the end of both, or `most`. */
size_t rv_text_common(const char *a, const char *b, size_t most);

#endif
