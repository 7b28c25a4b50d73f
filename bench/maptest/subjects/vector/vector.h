/* An array of numbers that grows at its end.
 *
 * All functions but vector_free may be called by several threads on the same vector at the same time.
 */
#ifndef VECTOR_H
#define VECTOR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct vector vector;

vector *vector_new(void); /* NULL: no memory */
void vector_free(vector *list);

size_t vector_size(vector *list);
bool vector_push(vector *list, int item);
bool vector_pop(vector *list, int *item); /* false: empty */
bool vector_get(vector *list, size_t index, int *item);
bool vector_set(vector *list, size_t index, int item);
bool vector_remove(vector *list, size_t index);
/* The first place of `item`, or -1. */
long vector_index_of(vector *list, int item);
/* Appends all items of `source`, which may be `list` itself. */
bool vector_push_all(vector *list, vector *source);
void vector_clear(vector *list);

#endif
