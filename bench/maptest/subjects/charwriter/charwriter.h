/* Gathers characters in memory, to be taken as a whole.
 *
 * All functions but charwriter_free may be called by several threads on the same writer at the same time. What one call writes
 * stays together.
 */
#ifndef CHARWRITER_H
#define CHARWRITER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct charwriter charwriter;

charwriter *charwriter_new(void); /* NULL: no memory */
void charwriter_free(charwriter *writer);

bool charwriter_put(charwriter *writer, char c); /* false: no memory */
bool charwriter_write(charwriter *writer, const char *text, size_t length);
size_t charwriter_size(charwriter *writer);
/* Copies what was written, cut off where `out` ends, with a NUL; how much was written. */
size_t charwriter_copy(charwriter *writer, char *out, size_t size);
int charwriter_last(charwriter *writer); /* the last character; -1: nothing was written */
size_t charwriter_occurrences(charwriter *writer, char c);
/* Forgets what was written; the memory is kept for what comes. */
void charwriter_reset(charwriter *writer);

#endif
