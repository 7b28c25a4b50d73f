/*
 * An unbounded queue with a lock for each end, so that who puts and who takes do not wait for each other (after Michael and
 * Scott). All functions but queue_new and queue_free may be called by several threads at once.
 */
#ifndef QUEUE_H
#define QUEUE_H

#include <stdbool.h>
#include <stddef.h>

struct queue;

struct queue *queue_new(void);
void queue_free(struct queue *queue);

bool queue_put(struct queue *queue, int item); /* false: no memory */
bool queue_put_many(struct queue *queue, const int *items, size_t count);
bool queue_take(struct queue *queue, int *item);
bool queue_front(struct queue *queue, int *item);
bool queue_back(struct queue *queue, int *item); /* the item last put, which may be taken already */
size_t queue_clear(struct queue *queue);

bool queue_is_empty(struct queue *queue);
size_t queue_length(struct queue *queue);
/* Since the start, or the last queue_reset. */
unsigned long queue_puts(struct queue *queue);
unsigned long queue_takes(struct queue *queue);
void queue_reset(struct queue *queue);

#endif
