/* Shared texts by handle, counted: a text is there as long as somebody holds its handle.
 *
 * All functions but handles_free may be called by several threads on the same table at the same time.
 */
#ifndef HANDLES_H
#define HANDLES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct handles handles;

enum { HANDLES_MAX = 8 };

handles *handles_new(void); /* NULL: no memory */
void handles_free(handles *table);

/* A handle for a copy of the text, held once: the smallest that is free; -1: none is, or no memory. */
int handles_open(handles *table, const char *text);
/* Holds it once more; false: nobody does, so it is not there. */
bool handles_retain(handles *table, int handle);
/* Holds it once less; the last one takes the text along. How often it is held now; -1: nobody did. */
int handles_release(handles *table, int handle);
/* Copies the text, cut off where `out` ends; how long it is; -1: not there. */
int handles_text(handles *table, int handle, char *out, size_t size);
/* How often it is held; 0: not there. */
int handles_held(handles *table, int handle);
size_t handles_count(handles *table);

#endif
