#include "barrier.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>

static cyclic_barrier_t barrier;
static atomic_int through;

/* select() is the portable way to sleep for less than a second. */
static void msleep(int ms) {
  struct timeval tv = {0, ms * 1000};
  select(0, NULL, NULL, NULL, &tv); //@ keep
}
//@ sleep msleep

static void *party(void *arg) {
  (void)arg;
  //@ event startingAwait
  long round = barrier_await(&barrier);
  through++;
  return (void *)(intptr_t)round;
}

//@ schedule [startingAwait#1] -> startingLast, [startingAwait#2] -> startingLast
static void test_last_one_opens(void) {
  pthread_t t1, t2;
  barrier_init(&barrier, 3);
  pthread_create(&t1, NULL, party, NULL);
  pthread_create(&t2, NULL, party, NULL);
  msleep(80);
  //@ event startingLast
  assert(through == 0);
  assert(barrier_await(&barrier) == 0);
  pthread_join(t1, NULL);
  pthread_join(t2, NULL);
  assert(through == 2);
  barrier_destroy(&barrier);
}

static void *two_rounds(void *arg) {
  (void)arg;
  //@ event startingRound1
  barrier_await(&barrier);
  through++;
  //@ event startingRound2
  barrier_await(&barrier);
  through++;
  return NULL;
}

/* The barrier can be used again, and keeps its parties in step. */
//@ schedule [startingRound1] -> startingCheck1, [startingRound2] -> startingCheck2
static void test_rounds_stay_in_step(void) {
  pthread_t t;
  barrier_init(&barrier, 2);
  pthread_create(&t, NULL, two_rounds, NULL);
  msleep(40);
  //@ event startingCheck1
  assert(through == 0);
  assert(barrier_await(&barrier) == 0);
  msleep(40);
  //@ event startingCheck2
  assert(through == 1);
  assert(barrier_await(&barrier) == 1);
  pthread_join(t, NULL);
  assert(through == 2);
  barrier_destroy(&barrier);
}

static void *leaver(void *arg) {
  msleep(80);
  //@ event startingLeave
  barrier_leave(&barrier);
  return arg;
}

//@ schedule [startingMainAwait] -> startingLeave
static void test_leaving_counts_as_arriving(void) {
  pthread_t t;
  barrier_init(&barrier, 2);
  pthread_create(&t, NULL, leaver, NULL);
  //@ event startingMainAwait
  assert(barrier_await(&barrier) == 0);
  assert(barrier_arrived(&barrier) == 0);
  pthread_join(t, NULL);
  barrier_destroy(&barrier);
}

//@ schedule [startingAwait#1] -> startingBreak, [startingAwait#2] -> startingBreak
static void test_break_wakes_everybody(void) {
  pthread_t t[2];
  void *round[2];
  barrier_init(&barrier, 3);
  for (int i = 0; i < 2; i++)
    pthread_create(&t[i], NULL, party, NULL);
  msleep(60);
  //@ event startingBreak
  assert(barrier_arrived(&barrier) == 2);
  barrier_break(&barrier);
  for (int i = 0; i < 2; i++) {
    pthread_join(t[i], &round[i]);
    assert((intptr_t)round[i] == -1);
  }
  assert(barrier_await(&barrier) == -1);
  barrier_destroy(&barrier);
}

int main(int argc, char **argv) {
  struct {
    const char *name;
    void (*run)(void);
  } tests[] = {
      {"last_one_opens", test_last_one_opens},
      {"rounds_stay_in_step", test_rounds_stay_in_step},
      {"leaving_counts_as_arriving", test_leaving_counts_as_arriving},
      {"break_wakes_everybody", test_break_wakes_everybody},
  };
  for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
    if (argc > 1 && strcmp(tests[i].name, argv[1]) != 0 &&
        !(strncmp(argv[1], "test_", 5) == 0 && strcmp(tests[i].name, argv[1] + 5) == 0))
      continue;
    through = 0;
    tests[i].run();
    printf("%s passed\n", tests[i].name);
  }
  return 0;
}
