/* A hash map from numbers to numbers, with a lock for each part of its buckets: who is busy with one key seldom keeps out who is
 * busy with another one.
 *
 * All functions but stripedmap_free may be called by several threads on the same map at the same time. Each has its effect
 * at one moment.
 */
#ifndef STRIPEDMAP_H
#define STRIPEDMAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct stripedmap stripedmap;

stripedmap *stripedmap_new(void); /* NULL: no memory */
void stripedmap_free(stripedmap *map);

bool stripedmap_get(stripedmap *map, int key, int *value);
/* false: no memory. */
bool stripedmap_put(stripedmap *map, int key, int value);
/* Puts only if the key is not there; whether it did. */
bool stripedmap_put_new(stripedmap *map, int key, int value);
/* Puts only if the key is there with the value `old`; whether it did. */
bool stripedmap_replace(stripedmap *map, int key, int old, int value);
bool stripedmap_remove(stripedmap *map, int key);
size_t stripedmap_size(stripedmap *map);
/* Whether some key has this value. */
bool stripedmap_has_value(stripedmap *map, int value);
void stripedmap_clear(stripedmap *map);

#endif
