#include "timer.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define MAX_TIMERS 16

struct timer
{
  int id;                       /* 0 if free */
  struct timespec when;
  timer_func func;
  void *data;
};

struct timer_queue
{
  pthread_mutex_t lock;
  pthread_cond_t changed;       /* something for the thread to look at */
  pthread_cond_t returned;      /* a function has returned */
  pthread_t thread;
  int last_id;
  int calling;                  /* id, or 0 */
  int stop;
  struct timer timers[MAX_TIMERS];
};

static int
before (const struct timespec *a, const struct timespec *b)
{
  return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

static struct timer *
next_timer (struct timer_queue *tq)
{
  struct timer *next = NULL;

  for (struct timer *t = tq->timers; t < tq->timers + MAX_TIMERS; t++)
    if (t->id && (!next || before (&t->when, &next->when)))
      next = t;
  return next;
}

static void *
timer_thread (void *arg)
{
  struct timer_queue *tq = arg;

  pthread_mutex_lock (&tq->lock);
  while (!tq->stop)
    {
      struct timer *t = next_timer (tq);
      struct timespec now, when;

      if (!t)
        {
          pthread_cond_wait (&tq->changed, &tq->lock);
          continue;
        }
      clock_gettime (CLOCK_MONOTONIC, &now);
      if (before (&now, &t->when))
        {
          when = t->when;
          pthread_cond_timedwait (&tq->changed, &tq->lock, &when);
          continue;
        }
      struct timer due = *t;
      t->id = 0;
      tq->calling = due.id;
      pthread_mutex_unlock (&tq->lock);
      due.func (due.data);
      pthread_mutex_lock (&tq->lock);
      tq->calling = 0;
      pthread_cond_broadcast (&tq->returned);
    }
  pthread_mutex_unlock (&tq->lock);
  return NULL;
}

struct timer_queue *
timer_queue_new (void)
{
  struct timer_queue *tq = calloc (1, sizeof *tq);
  pthread_condattr_t attr;

  if (!tq)
    return NULL;
  pthread_mutex_init (&tq->lock, NULL);
  pthread_condattr_init (&attr);
  pthread_condattr_setclock (&attr, CLOCK_MONOTONIC);
  pthread_cond_init (&tq->changed, &attr);
  pthread_condattr_destroy (&attr);
  pthread_cond_init (&tq->returned, NULL);
  if (pthread_create (&tq->thread, NULL, timer_thread, tq) != 0)
    abort ();
  return tq;
}

void
timer_queue_delete (struct timer_queue *tq)
{
  pthread_mutex_lock (&tq->lock);
  tq->stop = 1;
  pthread_cond_signal (&tq->changed);
  pthread_mutex_unlock (&tq->lock);
  pthread_join (tq->thread, NULL);
  pthread_cond_destroy (&tq->returned);
  pthread_cond_destroy (&tq->changed);
  pthread_mutex_destroy (&tq->lock);
  free (tq);
}

int
timer_add (struct timer_queue *tq, long msec, timer_func func, void *data)
{
  int id = -1;

  pthread_mutex_lock (&tq->lock);
  for (struct timer *t = tq->timers; t < tq->timers + MAX_TIMERS; t++)
    if (t->id == 0)
      {
        t->id = id = ++tq->last_id;
        clock_gettime (CLOCK_MONOTONIC, &t->when);
        t->when.tv_sec += msec / 1000;
        t->when.tv_nsec += msec % 1000 * 1000000;
        if (t->when.tv_nsec >= 1000000000)
          {
            t->when.tv_sec++;
            t->when.tv_nsec -= 1000000000;
          }
        t->func = func;
        t->data = data;
        break;
      }
  pthread_cond_signal (&tq->changed);
  pthread_mutex_unlock (&tq->lock);
  return id;
}

int
timer_cancel (struct timer_queue *tq, int id)
{
  int found = 0;

  pthread_mutex_lock (&tq->lock);
  for (struct timer *t = tq->timers; t < tq->timers + MAX_TIMERS; t++)
    if (t->id == id)
      {
        t->id = 0;
        found = 1;
      }
  while (tq->calling == id)
    pthread_cond_wait (&tq->returned, &tq->lock);
  pthread_mutex_unlock (&tq->lock);
  return found;
}
