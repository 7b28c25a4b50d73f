#include "latch.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

//@ sleep sleepMs

static Latch      latch;
static atomic_int passed;

static void sleepMs(long ms) {
  struct timespec ts = { .tv_sec = 0, .tv_nsec = ms * 1000000L };
  nanosleep(&ts, NULL); //@ keep
}

static pthread_t spawn(void* (*body)(void*)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, body, NULL) != 0) {
    perror("pthread_create");
    exit(2);
  }
  return thread;
}

static void* waiter(void* arg) {
  (void)arg;
  //@ event startingAwait
  latchAwait(&latch);
  passed++;
  //@ event finishedAwait
  return NULL;
}

//@ schedule [startingAwait] -> startingCountDown1
static void awaitBlocksUntilZero(void) {
  latchInit(&latch, 2);
  pthread_t t = spawn(waiter);
  sleepMs(60);
  //@ event startingCountDown1
  assert(passed == 0);
  latchCountDown(&latch);
  assert(passed == 0);
  latchCountDown(&latch);
  pthread_join(t, NULL);
  assert(passed == 1);
  latchDestroy(&latch);
}

// One count down is not enough for the waiter to get through, not even after a while.
//@ schedule [startingAwait] -> startingSecondCheck
static void oneOfTwoIsNotEnough(void) {
  latchInit(&latch, 2);
  latchCountDown(&latch);
  pthread_t t = spawn(waiter);
  sleepMs(60);
  //@ event startingSecondCheck
  assert(latchCount(&latch) == 1);
  assert(passed == 0);
  latchCountDown(&latch);
  pthread_join(t, NULL);
  latchDestroy(&latch);
}

//@ schedule [startingAwait#1] -> startingRelease, [startingAwait#2] -> startingRelease, [startingAwait#3] -> startingRelease
static void allWaitersAreReleased(void) {
  pthread_t t[3];
  latchInit(&latch, 1);
  for (int i = 0; i < 3; i++) {
    t[i] = spawn(waiter);
  }
  sleepMs(100);
  //@ event startingRelease
  assert(passed == 0);
  latchCountDown(&latch);
  for (int i = 0; i < 3; i++) {
    pthread_join(t[i], NULL);
  }
  assert(passed == 3);
  latchDestroy(&latch);
}

// A latch that is open lets everybody through at once.
//@ schedule finishedAwait -> startingCheckPassed
static void openLatchDoesNotBlock(void) {
  latchInit(&latch, 1);
  latchCountDown(&latch);
  pthread_t t = spawn(waiter);
  sleepMs(60);
  //@ event startingCheckPassed
  assert(passed == 1);
  pthread_join(t, NULL);
  latchDestroy(&latch);
}

static void* counter(void* arg) {
  (void)arg;
  sleepMs(30);
  //@ event startingCount1
  latchCountDown(&latch);
  sleepMs(15); // a bit of work //@ keep
  latchCountDown(&latch);
  return NULL;
}

//@ schedule [startingMainAwait] -> startingCount1
static void mainWaitsForWorker(void) {
  latchInit(&latch, 2);
  pthread_t t = spawn(counter);
  //@ event startingMainAwait
  latchAwait(&latch);
  assert(latchCount(&latch) == 0);
  pthread_join(t, NULL);
  latchDestroy(&latch);
}

//@ schedule
static void timedAwaitTimesOut(void) {
  latchInit(&latch, 1);
  assert(latchAwaitFor(&latch, 20) == ETIMEDOUT);
  latchCountDown(&latch);
  assert(latchAwaitFor(&latch, 20) == 0);
  latchDestroy(&latch);
}

#define TEST(f) { #f, f }
static const struct {
  const char* name;
  void (*run)(void);
} tests[] = {
  TEST(awaitBlocksUntilZero),
  TEST(oneOfTwoIsNotEnough),
  TEST(allWaitersAreReleased),
  TEST(openLatchDoesNotBlock),
  TEST(mainWaitsForWorker),
  TEST(timedAwaitTimesOut),
};

int main(int argc, char** argv) {
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
    if (argc > 1 && strcmp(argv[1], tests[i].name) != 0) {
      continue;
    }
    passed = 0;
    tests[i].run();
    printf("ok %s\n", tests[i].name);
  }
  return 0;
}
