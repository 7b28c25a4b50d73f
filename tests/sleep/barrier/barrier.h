#ifndef BARRIER_H
#define BARRIER_H

#include <pthread.h>
#include <stdbool.h>

/**
 * A cyclic barrier with a variable number of parties.
 *
 * Threads that arrive wait until all parties have arrived; then the next round begins.
 * A party may leave for good, which counts as arriving for all rounds to come.
 */
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t turn;
  unsigned parties;
  unsigned arrived;
  unsigned long round;
  bool broken;
} cyclic_barrier_t;

void barrier_init(cyclic_barrier_t *b, unsigned parties);
void barrier_destroy(cyclic_barrier_t *b);
/** Returns the round that has ended, counted from 0, or -1 if the barrier has been broken. */
long barrier_await(cyclic_barrier_t *b);
/** Leaves without waiting. */
void barrier_leave(cyclic_barrier_t *b);
/** Everybody who waits, or will, gets -1. */
void barrier_break(cyclic_barrier_t *b);
unsigned barrier_arrived(cyclic_barrier_t *b);

#endif
