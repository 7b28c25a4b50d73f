#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "waitgroup.h"

static waitgroup_t wg;
static atomic_int  results;

static void delay(unsigned ms)
{
    nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL); //@ keep
}
//@ sleep delay

static void *one_task(void *arg)
{
    (void)arg;
    delay(60);
    //@ event startingTask
    results++;
    wg_done(&wg);
    //@ event finishedTask
    return NULL;
}

static void *wait_for_all(void *seen)
{
    //@ event startingWait
    wg_wait(&wg);
    *(int *)seen = results;
    //@ event finishedWait
    return NULL;
}

static void *wait_for_room(void *seen)
{
    //@ event startingWaitBelow
    *(int *)seen = wg_wait_below(&wg, 2);
    return NULL;
}

/* Main waits for a task that takes its time. */
//@ schedule [startingMainWait] -> startingTask
static void test_wait(void)
{
    pthread_t t;
    wg_add(&wg, 1);
    pthread_create(&t, NULL, one_task, NULL);
    //@ event startingMainWait
    wg_wait(&wg);
    assert(results == 1);
    pthread_join(t, NULL);
}

//@ schedule
static void test_nothing_to_wait_for(void)
{
    delay(10); //@ keep
    wg_wait(&wg);
    wg_done(&wg);
    wg_wait(&wg);
}

//@ schedule [startingWait] -> startingFirstDone
static void test_waits_for_the_last(void)
{
    pthread_t t;
    int seen = -1;
    wg_add(&wg, 2);
    pthread_create(&t, NULL, wait_for_all, &seen);
    delay(60);
    //@ event startingFirstDone
    results = 1;
    wg_done(&wg);
    results = 2;
    wg_done(&wg);
    pthread_join(t, NULL);
    assert(seen == 2);
}

//@ schedule [startingWait#1] -> startingDone, [startingWait#2] -> startingDone
static void test_all_waiters_wake(void)
{
    pthread_t a, b;
    int seen_a = -1, seen_b = -1;
    wg_add(&wg, 1);
    pthread_create(&a, NULL, wait_for_all, &seen_a);
    pthread_create(&b, NULL, wait_for_all, &seen_b);
    delay(80);
    //@ event startingDone
    assert(seen_a == -1 && seen_b == -1);
    results = 5;
    wg_done(&wg);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(seen_a == 5 && seen_b == 5);
}

/* Two kinds of waiters: the one is satisfied before the other. */
//@ schedule [startingWait] -> startingDoneOne, [startingWaitBelow] -> startingDoneOne
static void test_two_limits(void)
{
    pthread_t all, room;
    int seen = -1, left = -1;
    wg_add(&wg, 2);
    pthread_create(&all, NULL, wait_for_all, &seen);
    pthread_create(&room, NULL, wait_for_room, &left);
    delay(80);
    //@ event startingDoneOne
    wg_done(&wg);
    pthread_join(room, NULL);
    assert(left == 1 && seen == -1);
    wg_done(&wg);
    pthread_join(all, NULL);
    assert(seen == 0);
}

/* What is added while somebody waits counts, too. */
//@ schedule [startingWait] -> startingAddMore, finishedWait -> startingSeenCheck
static void test_add_while_waiting(void)
{
    pthread_t t;
    int seen = -1;
    wg_add(&wg, 1);
    pthread_create(&t, NULL, wait_for_all, &seen);
    delay(50);
    //@ event startingAddMore
    wg_add(&wg, 1);
    wg_done(&wg);
    results = 3;
    wg_done(&wg);
    delay(50);
    //@ event startingSeenCheck
    assert(seen == 3);
    pthread_join(t, NULL);
}

static const struct test {
    const char *name;
    void      (*run)(void);
} tests[] = {
#define ADD(t) { #t, t }
    ADD(test_wait), ADD(test_nothing_to_wait_for), ADD(test_waits_for_the_last),
    ADD(test_all_waiters_wake), ADD(test_two_limits), ADD(test_add_while_waiting),
};

int main(int argc, char **argv)
{
    for (const struct test *t = tests; t < tests + sizeof tests / sizeof *tests; t++)
    {
        if (argc > 1 && strcmp(argv[1], t->name)) continue;
        wg_init(&wg);
        results = 0;
        t->run();
        wg_fini(&wg);
        printf("%s: passed\n", t->name);
    }
    return 0;
}
