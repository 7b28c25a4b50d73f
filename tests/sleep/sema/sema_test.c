#include "sema.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct sema *s;
static atomic_int   inside, peak, finished;

static void *take_one (void *arg)
{
    //@ event startingTakeOne
    sema_take (s, 1);
    finished++;
    //@ event finishedTakeOne
    return arg;
}

static void *take_three (void *arg)
{
    //@ event startingTakeThree
    sema_take (s, 3);
    finished += 10;
    return arg;
}

//@ schedule [startingTakeOne] -> startingGive
static void take_blocks_at_zero (void)
{
    pthread_t t;
    s = sema_new (0);
    pthread_create (&t, NULL, take_one, NULL);
    usleep (60000);
    //@ event startingGive
    assert (finished == 0);
    assert (sema_waiters (s) == 1);
    sema_give (s, 1);
    pthread_join (t, NULL);
    assert (finished == 1);
    assert (sema_value (s) == 0);
    sema_free (s);
}

/* A small request does not overtake a big one that waits. */
//@ schedule [startingTakeThree] -> startingTakeOne, [startingTakeOne] -> startingGiveOne, finishedTakeOne -> startingLastCheck
static void big_request_is_not_overtaken (void)
{
    pthread_t big, small;
    s = sema_new (2);
    pthread_create (&big, NULL, take_three, NULL);
    usleep (40000);
    //@ also startingTakeOne
    pthread_create (&small, NULL, take_one, NULL);
    usleep (40000);
    //@ event startingGiveOne
    assert (finished == 0);
    sema_give (s, 1);
    pthread_join (big, NULL);
    assert (finished == 10);
    sema_give (s, 1);
    usleep (40000);
    //@ event startingLastCheck
    assert (finished == 11);
    pthread_join (small, NULL);
    sema_free (s);
}

//@ schedule [startingTakeThree] -> startingTry
static void try_does_not_overtake (void)
{
    pthread_t t;
    s = sema_new (2);
    assert (sema_try (s, 1));
    sema_give (s, 1);
    pthread_create (&t, NULL, take_three, NULL);
    usleep (50000);
    //@ event startingTry
    assert (!sema_try (s, 1));
    sema_give (s, 1);
    pthread_join (t, NULL);
    assert (finished == 10);
    sema_free (s);
}

/* One give can serve many. */
//@ schedule [startingTakeOne#1] -> startingGiveThree, [startingTakeOne#2] -> startingGiveThree, [startingTakeOne#3] -> startingGiveThree
static void give_serves_many (void)
{
    pthread_t t[3];
    s = sema_new (0);
    for (int i = 0; i < 3; i++) pthread_create (&t[i], NULL, take_one, NULL);
    usleep (100000);
    //@ event startingGiveThree
    assert (sema_waiters (s) == 3);
    sema_give (s, 3);
    for (int i = 0; i < 3; i++) pthread_join (t[i], NULL);
    assert (finished == 3);
    sema_free (s);
}

static void *user (void *arg)
{
    for (int i = 0; i < 4; i++) {
        sema_take (s, 1);
        int now = ++inside;
        if (now > peak) peak = now;
        usleep (2000); /* use it */ //@ keep
        inside--;
        sema_give (s, 1);
    }
    finished++;
    return arg;
}

//@ schedule
static void never_more_than_units (void)
{
    pthread_t t[4];
    s = sema_new (2);
    for (int i = 0; i < 4; i++) pthread_create (&t[i], NULL, user, NULL);
    while (finished < 4) usleep (1000); //@ polling
    for (int i = 0; i < 4; i++) pthread_join (t[i], NULL);
    assert (peak <= 2);
    assert (sema_value (s) == 2);
    sema_free (s);
}

int main (int argc, char **argv)
{
    static const struct { const char *name; void (*f) (void); } tests[] = {
        { "take_blocks_at_zero", take_blocks_at_zero },
        { "big_request_is_not_overtaken", big_request_is_not_overtaken },
        { "try_does_not_overtake", try_does_not_overtake },
        { "give_serves_many", give_serves_many },
        { "never_more_than_units", never_more_than_units },
    };
    for (unsigned i = 0; i < 5; i++) {
        if (argc > 1 && strcmp (argv[1], tests[i].name) != 0) continue;
        inside = peak = finished = 0;
        tests[i].f ();
        printf ("%-32s ok\n", tests[i].name);
    }
    return 0;
}
