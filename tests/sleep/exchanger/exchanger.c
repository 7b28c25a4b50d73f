#include "exchanger.h"

#include <stddef.h>

void exchanger_init(struct exchanger *x) {
  pthread_mutex_init(&x->lock, NULL);
  pthread_cond_init(&x->change, NULL);
  x->state = XCHG_FREE;
  x->first = x->second = NULL;
}

void exchanger_fini(struct exchanger *x) {
  pthread_cond_destroy(&x->change);
  pthread_mutex_destroy(&x->lock);
}

/* The partner's side; locked, state is OFFERED. */
static void *take_up(struct exchanger *x, void *mine) {
  void *theirs = x->first;

  x->second = mine;
  x->state = XCHG_TAKEN;
  pthread_cond_broadcast(&x->change);
  return theirs;
}

void *exchange(struct exchanger *x, void *mine) {
  void *theirs;

  pthread_mutex_lock(&x->lock);
  while (x->state == XCHG_TAKEN) /* two others are not yet done */
    pthread_cond_wait(&x->change, &x->lock);
  if (x->state == XCHG_OFFERED) {
    theirs = take_up(x, mine);
  } else {
    x->first = mine;
    x->state = XCHG_OFFERED;
    while (x->state != XCHG_TAKEN)
      pthread_cond_wait(&x->change, &x->lock);
    theirs = x->second;
    x->state = XCHG_FREE;
    pthread_cond_broadcast(&x->change);
  }
  pthread_mutex_unlock(&x->lock);
  return theirs;
}

int try_exchange(struct exchanger *x, void *mine, void **theirs) {
  int met;

  pthread_mutex_lock(&x->lock);
  met = x->state == XCHG_OFFERED;
  if (met)
    *theirs = take_up(x, mine);
  pthread_mutex_unlock(&x->lock);
  return met;
}

int exchanger_cancel(struct exchanger *x) {
  void *nothing;

  return try_exchange(x, NULL, &nothing);
}
