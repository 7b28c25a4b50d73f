#include "exchanger.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct exchanger x;
int apple, pear, plum, fig;

struct side {
  void *brings;
  void *gets;
  int late; /* ms */
};

void *meet(void *arg) {
  struct side *s = arg;
  if (s->late)
    usleep(s->late * 1000);
  //@ event startingExchange
  s->gets = exchange(&x, s->brings);
  //@ event finishedExchange
  return NULL;
}

//@ schedule [startingExchange] -> startingMine
void t_first_waits(void) {
  struct side other = {&apple, NULL, 0};
  pthread_t t;
  pthread_create(&t, NULL, meet, &other);
  usleep(60000);
  //@ event startingMine
  assert(other.gets == NULL);
  assert(exchange(&x, &pear) == &apple);
  pthread_join(t, NULL);
  assert(other.gets == &pear);
}

/* The other way round: main waits, the other one comes late. */
//@ schedule [startingWait] -> startingExchange
void t_second_is_late(void) {
  struct side other = {&apple, NULL, 80};
  pthread_t t;
  pthread_create(&t, NULL, meet, &other);
  //@ event startingWait
  assert(exchange(&x, &pear) == &apple);
  pthread_join(t, NULL);
  assert(other.gets == &pear);
}

//@ schedule [startingExchange] -> startingTrySwap, finishedExchange -> startingLookAt
void t_try_needs_a_partner(void) {
  struct side other = {&apple, NULL, 0};
  void *got = NULL;
  pthread_t t;
  assert(!try_exchange(&x, &pear, &got));
  pthread_create(&t, NULL, meet, &other);
  usleep(60000);
  //@ event startingTrySwap
  assert(try_exchange(&x, &pear, &got));
  assert(got == &apple);
  usleep(40000);
  //@ event startingLookAt
  assert(other.gets == &pear);
  assert(!try_exchange(&x, &pear, &got));
  pthread_join(t, NULL);
}

//@ schedule [startingExchange] -> startingWithdraw
void t_cancel(void) {
  struct side other = {&apple, &fig, 0};
  pthread_t t;
  assert(!exchanger_cancel(&x));
  pthread_create(&t, NULL, meet, &other);
  usleep(60000);
  //@ event startingWithdraw
  assert(exchanger_cancel(&x));
  pthread_join(t, NULL);
  assert(other.gets == NULL);
}

/* Four threads come one after the other: the first meets the second, the third the fourth. */
//@ schedule [startingExchange#1] -> startingNext#1, finishedExchange#2 -> startingNext#2, [startingExchange#3] -> startingNext#3
void t_two_pairs(void) {
  struct side s[4] = {{&apple, NULL, 0}, {&pear, NULL, 0}, {&plum, NULL, 0}, {&fig, NULL, 0}};
  pthread_t t[4];
  for (int i = 0; i < 4; i++) {
    pthread_create(&t[i], NULL, meet, &s[i]);
    usleep(40000);
    //@ event startingNext
  }
  for (int i = 0; i < 4; i++)
    pthread_join(t[i], NULL);
  assert(s[0].gets == &pear && s[1].gets == &apple);
  assert(s[2].gets == &fig && s[3].gets == &plum);
}

#define RUN(t) do { if (argc == 1 || strcmp(argv[1], #t) == 0) { exchanger_init(&x); t(); exchanger_fini(&x); } } while (0)

int main(int argc, char **argv) {
  RUN(t_first_waits);
  RUN(t_second_is_late);
  RUN(t_try_needs_a_partner);
  RUN(t_cancel);
  RUN(t_two_pairs);
  printf("done\n");
  return 0;
}
