/* A place where two threads meet and swap what they bring. */
#ifndef EXCHANGER_H
#define EXCHANGER_H
#include <pthread.h>

struct exchanger {
  pthread_mutex_t lock;
  pthread_cond_t change;
  enum { XCHG_FREE, XCHG_OFFERED, XCHG_TAKEN } state;
  void *first, *second;
};

void exchanger_init(struct exchanger *x);
void exchanger_fini(struct exchanger *x);
/* Waits for a partner; returns what it brought. */
void *exchange(struct exchanger *x, void *mine);
/* Only if a partner waits already: 1 and *theirs, else 0. */
int try_exchange(struct exchanger *x, void *mine, void **theirs);
/* Withdraws an offer that nobody has taken up: its exchange() returns NULL. Returns 0 if there is none. */
int exchanger_cancel(struct exchanger *x);
#endif
