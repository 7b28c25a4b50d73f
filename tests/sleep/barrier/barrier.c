#include "barrier.h"

void barrier_init(cyclic_barrier_t *b, unsigned parties) {
  pthread_mutex_init(&b->lock, NULL);
  pthread_cond_init(&b->turn, NULL);
  b->parties = parties;
  b->arrived = 0;
  b->round = 0;
  b->broken = false;
}

void barrier_destroy(cyclic_barrier_t *b) {
  pthread_cond_destroy(&b->turn);
  pthread_mutex_destroy(&b->lock);
}

// With the lock held.
static void next_round(cyclic_barrier_t *b) {
  b->arrived = 0;
  b->round++;
  pthread_cond_broadcast(&b->turn);
}

long barrier_await(cyclic_barrier_t *b) {
  pthread_mutex_lock(&b->lock);
  unsigned long mine = b->round;
  if (!b->broken) {
    b->arrived++;
    if (b->arrived == b->parties) {
      next_round(b);
    } else {
      while (mine == b->round && !b->broken) {
        pthread_cond_wait(&b->turn, &b->lock);
      }
    }
  }
  long result = mine != b->round ? (long)mine : -1;
  pthread_mutex_unlock(&b->lock);
  return result;
}

void barrier_leave(cyclic_barrier_t *b) {
  pthread_mutex_lock(&b->lock);
  b->parties--;
  if (b->arrived > 0 && b->arrived == b->parties) {
    next_round(b);
  }
  pthread_mutex_unlock(&b->lock);
}

void barrier_break(cyclic_barrier_t *b) {
  pthread_mutex_lock(&b->lock);
  b->broken = true;
  pthread_cond_broadcast(&b->turn);
  pthread_mutex_unlock(&b->lock);
}

unsigned barrier_arrived(cyclic_barrier_t *b) {
  pthread_mutex_lock(&b->lock);
  unsigned arrived = b->arrived;
  pthread_mutex_unlock(&b->lock);
  return arrived;
}
