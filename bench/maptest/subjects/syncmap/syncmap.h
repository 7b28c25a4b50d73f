/* A map from numbers to numbers, small and sorted, that can be compared and merged with another one.
 *
 * All functions but syncmap_free may be called by several threads on the same maps at the same time.
 */
#ifndef SYNCMAP_H
#define SYNCMAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct syncmap syncmap;

syncmap *syncmap_new(void); /* NULL: no memory */
void syncmap_free(syncmap *map);

bool syncmap_put(syncmap *map, int key, int value); /* false: no memory */
bool syncmap_get(syncmap *map, int key, int *value);
bool syncmap_remove(syncmap *map, int key);
size_t syncmap_size(syncmap *map);
void syncmap_clear(syncmap *map);
/* The number of times that `map` was changed. */
unsigned syncmap_changes(syncmap *map);
/* Puts everything that is in `source` into `map`, at one moment. */
bool syncmap_put_all(syncmap *map, syncmap *source);
/* Whether both have the same keys with the same values, at one moment. */
bool syncmap_equal(syncmap *map, syncmap *other);

#endif
