/* A ring buffer of integers between threads. All functions but ring_new and ring_free may be called by several at once. */
#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stddef.h>

struct ring;

struct ring *ring_new(size_t capacity);
void ring_free(struct ring *ring);

/* False if the ring is full, or closed. */
bool ring_push(struct ring *ring, int item);
/* Makes room by dropping the oldest. False if closed. */
bool ring_push_over(struct ring *ring, int item);
/* False if the ring is empty; what is in it can be had after ring_close, too. */
bool ring_pop(struct ring *ring, int *item);
/* Waits for an item, or for the ring to be closed. */
bool ring_pop_wait(struct ring *ring, int *item);
bool ring_peek(struct ring *ring, int *item);
size_t ring_drain(struct ring *ring, int *items, size_t most);

void ring_close(struct ring *ring);
/* Cheap; to be asked in loops. */
bool ring_is_closed(struct ring *ring);
size_t ring_count(struct ring *ring);
/* The most items there have been since the start, or the last ring_reset_high. */
size_t ring_high(struct ring *ring);
void ring_reset_high(struct ring *ring);
unsigned long ring_dropped(struct ring *ring);

#endif
