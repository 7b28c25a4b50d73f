/* Checkpoints: how far each segment was filled at the latest ones. For all threads. */
#ifndef MANIFEST_H
#define MANIFEST_H

#include <stdbool.h>
#include <stddef.h>

enum { MANIFEST_KEPT = 3, MANIFEST_SEGMENTS = 6 };

typedef struct checkpoint {
    unsigned long number; /* from 1 on */
    size_t keys;
    size_t used[MANIFEST_SEGMENTS];
} checkpoint;

typedef struct manifest manifest;

manifest *manifest_new(void);
void manifest_free(manifest *list);
/* The number that it gets. */
unsigned long manifest_add(manifest *list, const checkpoint *made);
bool manifest_latest(manifest *list, checkpoint *found);
bool manifest_find(manifest *list, unsigned long number, checkpoint *found);
/* Forgets all but the latest. */
size_t manifest_trim(manifest *list);
size_t manifest_growth(manifest *list); /* bytes between the latest two */

#endif
