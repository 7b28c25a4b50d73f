#include "latch.h"

#include <errno.h>
#include <time.h>

void latchInit(Latch* latch, int count) {
  pthread_mutex_init(&latch->mutex, NULL);
  pthread_cond_init(&latch->zero, NULL);
  latch->count = count;
}

void latchDestroy(Latch* latch) {
  pthread_cond_destroy(&latch->zero);
  pthread_mutex_destroy(&latch->mutex);
}

void latchCountDown(Latch* latch) {
  pthread_mutex_lock(&latch->mutex);
  if (latch->count > 0 && --latch->count == 0) {
    pthread_cond_broadcast(&latch->zero);
  }
  pthread_mutex_unlock(&latch->mutex);
}

void latchAwait(Latch* latch) {
  pthread_mutex_lock(&latch->mutex);
  while (latch->count > 0) {
    pthread_cond_wait(&latch->zero, &latch->mutex);
  }
  pthread_mutex_unlock(&latch->mutex);
}

static struct timespec deadlineIn(long millis) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += millis / 1000;
  deadline.tv_nsec += (millis % 1000) * 1000000L;
  if (deadline.tv_nsec >= 1000000000L) {
    deadline.tv_nsec -= 1000000000L;
    deadline.tv_sec += 1;
  }
  return deadline;
}

int latchAwaitFor(Latch* latch, long millis) {
  struct timespec deadline = deadlineIn(millis);
  int             result   = 0;

  pthread_mutex_lock(&latch->mutex);
  while (latch->count > 0 && result == 0) {
    result = pthread_cond_timedwait(&latch->zero, &latch->mutex, &deadline);
  }
  if (latch->count == 0) {
    result = 0;
  }
  pthread_mutex_unlock(&latch->mutex);
  return result;
}

int latchCount(Latch* latch) {
  pthread_mutex_lock(&latch->mutex);
  int count = latch->count;
  pthread_mutex_unlock(&latch->mutex);
  return count;
}
