/* Tests of bqueue. With an argument: that test only. */
#undef NDEBUG
#include "bqueue.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct bqueue *q;
static char one[] = "one", two[] = "two", three[] = "three";

static void *adder(void *unused)
{
    (void)unused;
    bqueue_put(q, one);
    //@ event finishedPut1
    usleep(100000);
    //@ event startingPut2
    bqueue_put(q, two);
    return NULL;
}

//@ schedule finishedPut1 -> startingTake1, [startingTake2] -> startingPut2
static void test_take_waits_for_put(void)
{
    pthread_t t;

    q = bqueue_new(1);
    pthread_create(&t, NULL, adder, NULL);
    usleep(50000);
    /* The first item is there by now, the second is not. */
    //@ event startingTake1
    assert(bqueue_take(q) == one);
    //@ event startingTake2
    assert(bqueue_take(q) == two);
    pthread_join(t, NULL);
    bqueue_free(q);
}

static int putters_done;

static void *put_three(void *unused)
{
    (void)unused;
    //@ event startingPut3
    bqueue_put(q, three);
    putters_done++;
    return NULL;
}

//@ schedule [startingPut3] -> startingCheck
static void test_put_blocks_when_full(void)
{
    pthread_t t;

    putters_done = 0;
    q = bqueue_new(2);
    bqueue_put(q, one);
    bqueue_put(q, two);
    pthread_create(&t, NULL, put_three, NULL);
    usleep(80000);
    //@ event startingCheck
    assert(putters_done == 0);
    assert(bqueue_size(q) == 2);
    assert(bqueue_take(q) == one);
    pthread_join(t, NULL);
    assert(putters_done == 1);
    assert(bqueue_take(q) == two);
    assert(bqueue_take(q) == three);
    bqueue_free(q);
}

static void *put_one_early(void *unused)
{
    (void)unused;
    usleep(20000);
    bqueue_put(q, one);
    //@ event finishedPutOne
    return NULL;
}

static void *put_two_late(void *unused)
{
    (void)unused;
    usleep(80000);
    //@ event startingPutTwo
    bqueue_put(q, two);
    return NULL;
}

/* Items come out as they went in, whoever put them. */
//@ schedule finishedPutOne -> startingPutTwo
static void test_fifo(void)
{
    pthread_t early, late;

    q = bqueue_new(4);
    pthread_create(&late, NULL, put_two_late, NULL);
    pthread_create(&early, NULL, put_one_early, NULL);
    pthread_join(early, NULL);
    pthread_join(late, NULL);
    assert(bqueue_take(q) == one);
    assert(bqueue_take(q) == two);
    bqueue_free(q);
}

static void *taker(void *result)
{
    //@ event startingTake
    *(void **)result = bqueue_take(q);
    return NULL;
}

//@ schedule [startingTake#1] -> startingClose, [startingTake#2] -> startingClose
static void test_close_wakes_all_takers(void)
{
    pthread_t a, b;
    void *from_a = one, *from_b = one;

    q = bqueue_new(1);
    pthread_create(&a, NULL, taker, &from_a);
    pthread_create(&b, NULL, taker, &from_b);
    usleep(100000);
    //@ event startingClose
    bqueue_close(q);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(from_a == NULL && from_b == NULL);
    assert(!bqueue_put(q, one));
    bqueue_free(q);
}

//@ schedule [startingTake#1] -> startingPutA, [startingTake#2] -> startingPutA
static void test_two_takers_two_items(void)
{
    pthread_t a, b;
    void *from_a = NULL, *from_b = NULL;

    q = bqueue_new(2);
    pthread_create(&a, NULL, taker, &from_a);
    pthread_create(&b, NULL, taker, &from_b);
    usleep(100000);
    //@ event startingPutA
    bqueue_put(q, one);
    bqueue_put(q, two);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(from_a && from_b && from_a != from_b);
    bqueue_free(q);
}

static void *slow_consumer(void *count)
{
    while (bqueue_take(q)) {
        ++*(int *)count;
        usleep(3000); /* handle it */ //@ keep
    }
    return NULL;
}

/* A consumer slower than the producer gets everything. */
//@ schedule
static void test_slow_consumer(void)
{
    pthread_t t;
    int count = 0;

    q = bqueue_new(2);
    pthread_create(&t, NULL, slow_consumer, &count);
    for (int i = 0; i < 20; i++)
        assert(bqueue_put(q, one));
    while (bqueue_size(q) > 0)
        usleep(1000); //@ polling
    bqueue_close(q);
    pthread_join(t, NULL);
    assert(count == 20);
    bqueue_free(q);
}

//@ schedule
static void test_take_within_gives_up(void)
{
    q = bqueue_new(1);
    assert(bqueue_take_within(q, 20) == NULL);
    assert(bqueue_offer(q, one));
    assert(!bqueue_offer(q, two));
    assert(bqueue_take_within(q, 20) == one);
    bqueue_free(q);
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : NULL;

    if (!only || !strcmp(only, "test_take_waits_for_put"))
        test_take_waits_for_put();
    if (!only || !strcmp(only, "test_put_blocks_when_full"))
        test_put_blocks_when_full();
    if (!only || !strcmp(only, "test_fifo"))
        test_fifo();
    if (!only || !strcmp(only, "test_close_wakes_all_takers"))
        test_close_wakes_all_takers();
    if (!only || !strcmp(only, "test_two_takers_two_items"))
        test_two_takers_two_items();
    if (!only || !strcmp(only, "test_slow_consumer"))
        test_slow_consumer();
    if (!only || !strcmp(only, "test_take_within_gives_up"))
        test_take_within_gives_up();
    puts("bqueue: ok");
    return 0;
}
