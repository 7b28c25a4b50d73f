#include "timer.h"

#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

static struct timer_queue *tq;
static volatile int called;
static char seen[8];

static void
count (void *data)
{
  (void) data;
  called++;
  //@ event finishedCall
}

static void
note (void *data)
{
  strcat (seen, data);
  //@ event finishedNote
}

//@ schedule finishedCall -> startingAssertCalled
static void
test_timer_fires (void)
{
  timer_add (tq, 10, count, NULL);
  poll (NULL, 0, 100);
  //@ event startingAssertCalled
  assert (called == 1);
}

/* Not before its time.  */
//@ schedule
static void
test_timer_not_too_early (void)
{
  int id = timer_add (tq, 500, count, NULL);
  poll (NULL, 0, 30); //@ keep
  assert (called == 0);
  assert (timer_cancel (tq, id));
}

/* The one that was added later is due earlier.  */
//@ schedule finishedNote#2 -> startingCompare
static void
test_order_of_time (void)
{
  timer_add (tq, 40, note, "b");
  timer_add (tq, 10, note, "a");
  poll (NULL, 0, 200);
  //@ event startingCompare
  assert (strcmp (seen, "ab") == 0);
}

//@ schedule
static void
test_cancelled_timer_does_not_fire (void)
{
  int id = timer_add (tq, 30, count, NULL);
  poll (NULL, 0, 10); //@ keep
  assert (timer_cancel (tq, id));
  poll (NULL, 0, 40); //@ keep
  assert (called == 0);
  assert (!timer_cancel (tq, id));
}

static sem_t go_on;

static void
stuck (void *data)
{
  (void) data;
  //@ event startingStuck
  sem_wait (&go_on);
  called = 1;
}

static void *
canceller (void *id)
{
  poll (NULL, 0, 80);
  //@ event startingCancel
  timer_cancel (tq, *(int *) id);
  assert (called == 1);
  return NULL;
}

/* timer_cancel waits for a function that is being called.  */
//@ schedule [startingStuck] -> startingCancel, [startingCancel] -> startingPost
static void
test_cancel_waits (void)
{
  pthread_t t;
  int id;

  sem_init (&go_on, 0, 0);
  id = timer_add (tq, 1, stuck, NULL);
  pthread_create (&t, NULL, canceller, &id);
  poll (NULL, 0, 160);
  //@ event startingPost
  sem_post (&go_on);
  pthread_join (t, NULL);
  sem_destroy (&go_on);
}

/* A timer that is due earlier than the one waited for wakes the thread up.  */
//@ schedule finishedCall -> startingEarlierCheck
static void
test_earlier_timer (void)
{
  int id = timer_add (tq, 10000, note, "x");
  poll (NULL, 0, 20); /* the thread waits for that one */ //@ keep
  timer_add (tq, 10, count, NULL);
  poll (NULL, 0, 100);
  //@ event startingEarlierCheck
  assert (called == 1 && seen[0] == 0);
  timer_cancel (tq, id);
}

struct test
{
  const char *name;
  void (*function) (void);
};

static const struct test all[] = {
  { "test_timer_fires", test_timer_fires },
  { "test_timer_not_too_early", test_timer_not_too_early },
  { "test_order_of_time", test_order_of_time },
  { "test_cancelled_timer_does_not_fire", test_cancelled_timer_does_not_fire },
  { "test_cancel_waits", test_cancel_waits },
  { "test_earlier_timer", test_earlier_timer },
  { NULL, NULL }
};

int
main (int argc, char **argv)
{
  for (const struct test *t = all; t->name; t++)
    if (argc < 2 || strcmp (argv[1], t->name) == 0)
      {
        called = 0;
        memset (seen, 0, sizeof seen);
        tq = timer_queue_new ();
        t->function ();
        timer_queue_delete (tq);
        printf ("PASS: %s\n", t->name);
      }
  return 0;
}
