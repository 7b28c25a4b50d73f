/* A map of strings to strings. All functions but map_new and map_free may be called by several threads at once. */
#ifndef MAP_H
#define MAP_H

#include <stdbool.h>
#include <stddef.h>

struct map;

struct map *map_new(void);
void map_free(struct map *map);

/* The value may be NULL, which is a value like others. False: no memory. */
bool map_put(struct map *map, const char *key, const char *value);
bool map_put_absent(struct map *map, const char *key, const char *value);
/* Copies the value to a buffer; false if there is no such key. A value that is NULL is copied as "". */
bool map_get(struct map *map, const char *key, char *buffer, size_t size);
bool map_remove(struct map *map, const char *key);
void map_clear(struct map *map);

bool map_contains_key(struct map *map, const char *key);
bool map_contains_value(struct map *map, const char *value);
size_t map_size(struct map *map);
/* How often the set of keys has changed; for iterations that have to know. */
unsigned map_changes(struct map *map);
/* Length of the longest chain, for the statistics page. */
size_t map_longest(struct map *map);

#endif
