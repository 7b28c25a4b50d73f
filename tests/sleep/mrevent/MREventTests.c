#include <check.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "mrevent.h"

static MREvent ready, done;
static atomic_int released;

static void Setup(void)
{
    atomic_store(&released, 0);
}

static void *Waiter(void *arg)
{
    //@ event startingWait
    MREvent_Wait(&ready);
    atomic_fetch_add(&released, 1);
    //@ event finishedWait
    return arg;
}

static void *DelayedSetter(void *arg)
{
    usleep(50000);
    //@ event startingSet
    MREvent_Set(arg);
    return NULL;
}

//@ schedule [startingWait#1] -> startingSetAll, [startingWait#2] -> startingSetAll
START_TEST(ManualEventReleasesAll)
{
    pthread_t threads[2];

    MREvent_Create(&ready, false);
    for (int i = 0; i < 2; ++i)
        pthread_create(&threads[i], NULL, Waiter, NULL);
    usleep(60000);
    //@ event startingSetAll
    MREvent_Set(&ready);
    for (int i = 0; i < 2; ++i)
        pthread_join(threads[i], NULL);
    ck_assert(MREvent_TryWait(&ready));
    MREvent_Delete(&ready);
}
END_TEST

//@ schedule [startingWait#1] -> startingSetOne, [startingWait#2] -> startingSetOne, finishedWait#1 -> startingCountCheck
START_TEST(AutomaticEventReleasesOne)
{
    pthread_t threads[2];

    MREvent_Create(&ready, true);
    for (int i = 0; i < 2; ++i)
        pthread_create(&threads[i], NULL, Waiter, NULL);
    usleep(60000);
    //@ event startingSetOne
    MREvent_Set(&ready);
    usleep(60000);
    //@ event startingCountCheck
    ck_assert_int_eq(atomic_load(&released), 1);
    MREvent_Set(&ready);
    for (int i = 0; i < 2; ++i)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(atomic_load(&released), 2);
    MREvent_Delete(&ready);
}
END_TEST

//@ schedule [startingWait] -> startingPulse
START_TEST(PulseReleasesThoseThatWait)
{
    pthread_t thread;

    MREvent_Create(&ready, false);
    pthread_create(&thread, NULL, Waiter, NULL);
    usleep(60000);
    //@ event startingPulse
    MREvent_Pulse(&ready);
    pthread_join(thread, NULL);
    ck_assert(!MREvent_TryWait(&ready));
    MREvent_Delete(&ready);
}
END_TEST

/* Set, before anybody waits: nobody has to. */
//@ schedule finishedWait -> startingReset
START_TEST(SetIsRemembered)
{
    pthread_t thread;

    MREvent_Create(&ready, false);
    MREvent_Set(&ready);
    pthread_create(&thread, NULL, Waiter, NULL);
    usleep(60000);
    //@ event startingReset
    MREvent_Reset(&ready);
    ck_assert_int_eq(atomic_load(&released), 1);
    ck_assert(!MREvent_TryWait(&ready));
    pthread_join(thread, NULL);
    MREvent_Delete(&ready);
}
END_TEST

//@ schedule [startingMainWait] -> startingSet
START_TEST(MainWaitsForAnother)
{
    pthread_t thread;

    MREvent_Create(&done, true);
    pthread_create(&thread, NULL, DelayedSetter, &done);
    //@ event startingMainWait
    MREvent_Wait(&done);
    ck_assert(!MREvent_TryWait(&done));
    pthread_join(thread, NULL);
    MREvent_Delete(&done);
}
END_TEST

int main(int argc, char **argv)
{
    Suite *suite = suite_create("MREvent");
    SRunner *runner = srunner_create(suite);
    int failed;

#define ADD(name)                                                                                  \
    do {                                                                                           \
        TCase *tcase = tcase_create(#name);                                                        \
        tcase_add_checked_fixture(tcase, Setup, NULL);                                             \
        tcase_add_test(tcase, name);                                                               \
        suite_add_tcase(suite, tcase);                                                             \
    } while (0)
    ADD(ManualEventReleasesAll);
    ADD(AutomaticEventReleasesOne);
    ADD(PulseReleasesThoseThatWait);
    ADD(SetIsRemembered);
    ADD(MainWaitsForAnother);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run(runner, NULL, argc > 1 ? argv[1] : NULL, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
