/* A queue of limited size: who puts into a full one waits for a place, who takes from an empty one for an item.
 *
 * All functions but boundedqueue_free may be called by several threads on the same queue at the same time. Each has its effect
 * at one moment.
 */
#ifndef BOUNDEDQUEUE_H
#define BOUNDEDQUEUE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct boundedqueue boundedqueue;

/* For at most `capacity` items (at least 1). NULL: no memory. */
boundedqueue *boundedqueue_new(size_t capacity);
void boundedqueue_free(boundedqueue *queue);

void boundedqueue_put(boundedqueue *queue, int item); /* waits while full */
int boundedqueue_take(boundedqueue *queue);           /* waits while empty */
bool boundedqueue_try_put(boundedqueue *queue, int item);
bool boundedqueue_try_take(boundedqueue *queue, int *item);
/* Takes up to `max` items, without waiting; how many. */
size_t boundedqueue_drain(boundedqueue *queue, int *items, size_t max);
size_t boundedqueue_size(boundedqueue *queue);
bool boundedqueue_contains(boundedqueue *queue, int item);

#endif
