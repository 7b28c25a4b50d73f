/* Names of objects, as numbers: the same name has the same number, which is never given to another one.
 *
 * All functions but registry_free may be called by several threads on the same registry at the same time. Names are compared
 * as bytes and copied.
 */
#ifndef REGISTRY_H
#define REGISTRY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct registry registry;

registry *registry_new(void); /* NULL: no memory */
void registry_free(registry *names);

/* The number of `name`, which gets one (1, 2, 3 ...) if it has none; 0: no memory. */
int registry_intern(registry *names, const char *name);
/* The number of `name`; 0: it has none. */
int registry_find(registry *names, const char *name);
/* The name of a number, cut off where `out` ends; false: there is none. */
bool registry_name(registry *names, int number, char *out, size_t size);
/* Takes a name away; its number is not used again. */
bool registry_remove(registry *names, const char *name);
/* Gives a number another name; false: no such number, or the name has a number. */
bool registry_rename(registry *names, int number, const char *name);
size_t registry_count(registry *names);

#endif
