#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "wpool.h"

static atomic_int done;
static char       order[16];

static void count_job(void *arg)
{
    (void)arg;
    atomic_fetch_add(&done, 1);
    //@ event finishedCount
}

static void log_job(void *arg)
{
    strncat(order, arg, 1);
    //@ event finishedLog
}

static sem_t gate;

/* Keeps its worker busy until the gate opens. */
static void gate_job(void *arg)
{
    (void)arg;
    //@ event startingGateWait
    sem_wait(&gate);
    atomic_fetch_add(&done, 1);
}

static int setup(void **state)
{
    (void)state;
    atomic_store(&done, 0);
    memset(order, 0, sizeof order);
    return sem_init(&gate, 0, 0);
}

static int teardown(void **state)
{
    (void)state;
    return sem_destroy(&gate);
}

//@ schedule finishedCount -> startingCheckDone
static void test_job_runs(void **state)
{
    (void)state;
    wpool_t *p = wpool_create(2);
    usleep(10000); /* let the workers come up */ //@ keep
    assert_int_equal(wpool_submit(p, count_job, NULL), 0);
    usleep(80000);
    //@ event startingCheckDone
    assert_int_equal(atomic_load(&done), 1);
    wpool_shutdown(p);
}

/* With its only worker busy a pool keeps jobs. */
//@ schedule [startingGateWait] -> startingSubmit
static void test_jobs_wait_for_a_worker(void **state)
{
    (void)state;
    wpool_t *p = wpool_create(1);
    wpool_submit(p, gate_job, NULL);
    usleep(60000);
    //@ event startingSubmit
    wpool_submit(p, count_job, NULL);
    wpool_submit(p, count_job, NULL);
    assert_int_equal(wpool_pending(p), 2);
    assert_int_equal(atomic_load(&done), 0);
    sem_post(&gate);
    wpool_drain(p);
    assert_int_equal(atomic_load(&done), 3);
    wpool_shutdown(p);
}

//@ schedule finishedLog#3 -> startingCheckOrder
static void test_one_worker_keeps_the_order(void **state)
{
    (void)state;
    wpool_t *p = wpool_create(1);
    wpool_submit(p, log_job, "a");
    wpool_submit(p, log_job, "b");
    wpool_submit(p, log_job, "c");
    usleep(100000);
    //@ event startingCheckOrder
    assert_string_equal(order, "abc");
    wpool_shutdown(p);
}

static wpool_t *drained;
static int      drain_over;

static void *drainer(void *arg)
{
    (void)arg;
    //@ event startingDrain
    wpool_drain(drained);
    drain_over = 1;
    return NULL;
}

//@ schedule [startingGateWait] -> startingDrain, [startingDrain] -> startingCheckDrain
static void test_drain_waits_for_the_running_job(void **state)
{
    (void)state;
    pthread_t t;
    drain_over = 0;
    drained = wpool_create(2);
    wpool_submit(drained, gate_job, NULL);
    usleep(40000);
    //@ also startingDrain
    pthread_create(&t, NULL, drainer, NULL);
    usleep(60000);
    //@ event startingCheckDrain
    assert_int_equal(drain_over, 0);
    assert_int_equal(wpool_pending(drained), 0);
    sem_post(&gate);
    pthread_join(t, NULL);
    assert_int_equal(drain_over, 1);
    wpool_shutdown(drained);
}

static void slow_job(void *arg)
{
    (void)arg;
    usleep(5000); /* work */ //@ keep
    atomic_fetch_add(&done, 1);
}

//@ schedule
static void test_shutdown_runs_what_is_pending(void **state)
{
    (void)state;
    wpool_t *p = wpool_create(2);
    for (int i = 0; i < 8; i++)
        wpool_submit(p, slow_job, NULL);
    wpool_shutdown(p);
    assert_int_equal(atomic_load(&done), 8);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_job_runs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_jobs_wait_for_a_worker, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_worker_keeps_the_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_drain_waits_for_the_running_job, setup, teardown),
        cmocka_unit_test_setup_teardown(test_shutdown_runs_what_is_pending, setup, teardown),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
