/* A bounded FIFO queue of pointers between threads. put waits while the queue is full, take while it is empty.
 * After close nothing can be put, and take returns what is left, then NULL. */
#ifndef BQUEUE_H
#define BQUEUE_H

#include <stdbool.h>
#include <stddef.h>

struct bqueue;

struct bqueue *bqueue_new(size_t capacity);
/* Nobody may be inside. */
void bqueue_free(struct bqueue *q);
/* false: closed. */
bool bqueue_put(struct bqueue *q, void *item);
/* false: full or closed. */
bool bqueue_offer(struct bqueue *q, void *item);
void *bqueue_take(struct bqueue *q);
/* NULL after `ms` milliseconds without an item. */
void *bqueue_take_within(struct bqueue *q, long ms);
void bqueue_close(struct bqueue *q);
size_t bqueue_size(struct bqueue *q);

#endif
