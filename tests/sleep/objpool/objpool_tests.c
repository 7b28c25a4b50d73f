#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "objpool.h"

/* Small stand-in for a test framework. */
static int failures;
#define CHECK(cond) \
    do { if (!(cond)) { printf("%s:%d: %s\n", __FILE__, __LINE__, #cond); failures++; } } while (0)

#define SHORT_WAIT() usleep(40000)
//@ sleep SHORT_WAIT

static objpool pool;
static char    history[16];

static void *borrow(void *arg)
{
    //@ event startingBorrow
    char *object = objpool_acquire(&pool);
    strncat(history, arg, 1);
    objpool_release(&pool, object);
    //@ event finishedBorrow
    return NULL;
}

static pthread_t start(void *(*f)(void *), void *arg)
{
    pthread_t t;
    if (pthread_create(&t, NULL, f, arg) != 0)
        abort();
    return t;
}

//@ schedule [startingBorrow] -> startingReleaseOne
void test_acquire_blocks_while_empty(void)
{
    objpool_init(&pool, 1, 32);
    void *mine = objpool_acquire(&pool);
    pthread_t t = start(borrow, "x");
    SHORT_WAIT();
    //@ event startingReleaseOne
    CHECK(history[0] == '\0');
    objpool_release(&pool, mine);
    pthread_join(t, NULL);
    CHECK(strcmp(history, "x") == 0);
    CHECK(objpool_available(&pool) == 1);
    objpool_fini(&pool);
}

//@ schedule [startingBorrow#1] -> startingSecond, [startingBorrow#2] -> startingThird, [startingBorrow#3] -> startingReleaseFair
void test_waiters_are_served_in_order(void)
{
    objpool_init(&pool, 1, 32);
    void *mine = objpool_acquire(&pool);
    pthread_t a = start(borrow, "a");
    SHORT_WAIT();
    //@ event startingSecond
    pthread_t b = start(borrow, "b");
    SHORT_WAIT();
    //@ event startingThird
    pthread_t c = start(borrow, "c");
    SHORT_WAIT();
    //@ event startingReleaseFair
    objpool_release(&pool, mine);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    CHECK(strcmp(history, "abc") == 0);
    objpool_fini(&pool);
}

static void *hold_one(void *arg)
{
    void *object = objpool_acquire(&pool);
    *(int *)arg = 1;
    //@ event finishedHold
    usleep(100000);
    //@ event startingGiveBack
    objpool_release(&pool, object);
    return NULL;
}

//@ schedule finishedHold -> startingTryAcquire, finishedTryAcquire -> startingGiveBack
void test_try_acquire_fails_while_empty(void)
{
    int held = 0;
    objpool_init(&pool, 1, 32);
    pthread_t t = start(hold_one, &held);
    SHORT_WAIT();
    //@ event startingTryAcquire
    CHECK(held == 1);
    CHECK(objpool_available(&pool) == 0);
    CHECK(objpool_try_acquire(&pool) == NULL);
    //@ event finishedTryAcquire
    pthread_join(t, NULL);
    void *object = objpool_try_acquire(&pool);
    CHECK(object != NULL);
    objpool_release(&pool, object);
    objpool_fini(&pool);
}

/* What is borrowed and given back is there again. */
//@ schedule finishedBorrow -> startingHistoryCheck
void test_object_comes_back(void)
{
    objpool_init(&pool, 2, 32);
    void *mine = objpool_acquire(&pool);
    pthread_t t = start(borrow, "y");
    SHORT_WAIT();
    //@ event startingHistoryCheck
    CHECK(strcmp(history, "y") == 0);
    CHECK(objpool_available(&pool) == 1);
    objpool_release(&pool, mine);
    pthread_join(t, NULL);
    objpool_fini(&pool);
}

static void *churn(void *arg)
{
    int *bad = arg;
    for (int i = 0; i < 5; i++)
    {
        int *object = objpool_acquire(&pool);
        if (++*object != 1)
            *bad = 1;
        usleep(2000); //@ keep
        --*object;
        objpool_release(&pool, object);
    }
    return NULL;
}

//@ schedule
void test_no_object_is_given_twice(void)
{
    pthread_t t[4];
    int       bad[4] = {0};
    objpool_init(&pool, 2, sizeof(int));
    for (int i = 0; i < 4; i++)
        t[i] = start(churn, &bad[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 4; i++)
        CHECK(!bad[i]);
    CHECK(objpool_available(&pool) == 2);
    objpool_fini(&pool);
}

static void run(const char *name, void (*test)(void), const char *only)
{
    if (only != NULL && strcmp(name, only) != 0)
        return;
    history[0] = '\0';
    test();
    printf("%-40s %s\n", name, failures ? "FAILED" : "ok");
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : NULL;
    run("test_acquire_blocks_while_empty", test_acquire_blocks_while_empty, only);
    run("test_waiters_are_served_in_order", test_waiters_are_served_in_order, only);
    run("test_try_acquire_fails_while_empty", test_try_acquire_fails_while_empty, only);
    run("test_object_comes_back", test_object_comes_back, only);
    run("test_no_object_is_given_twice", test_no_object_is_given_twice, only);
    return failures != 0;
}
