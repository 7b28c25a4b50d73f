#pragma once
/* A countdown latch: threads wait until it has been counted down to zero. It stays open then. */
#include <pthread.h>

typedef struct Latch {
  pthread_mutex_t mutex;
  pthread_cond_t  zero;
  int             count;
} Latch;

void latchInit(Latch* latch, int count);
void latchDestroy(Latch* latch);
/* At zero it does nothing. */
void latchCountDown(Latch* latch);
void latchAwait(Latch* latch);
/* 0, or ETIMEDOUT after that many milliseconds. */
int latchAwaitFor(Latch* latch, long millis);
int latchCount(Latch* latch);
