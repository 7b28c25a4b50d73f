/* A queue of limited size. Who puts into a full one waits for a place, who takes from an empty one for an item.
 *
 * All functions but bqueue_free may be called by several threads on the same queue at the same time.
 */
#ifndef BQUEUE_H
#define BQUEUE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct bqueue bqueue;

/* For at most `capacity` items (at least 1). NULL: no memory. */
bqueue *bqueue_new(size_t capacity);
void bqueue_free(bqueue *queue);

void bqueue_put(bqueue *queue, int item); /* waits while full */
int bqueue_take(bqueue *queue);           /* waits while empty */
bool bqueue_try_put(bqueue *queue, int item);
bool bqueue_try_take(bqueue *queue, int *item);
bool bqueue_peek(bqueue *queue, int *item); /* the item that is taken next */
size_t bqueue_size(bqueue *queue);
/* Throws all items away; how many. */
size_t bqueue_clear(bqueue *queue);

#endif
