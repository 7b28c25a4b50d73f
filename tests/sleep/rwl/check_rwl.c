#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "rwl.h"

static struct rwl rw;
static int value;

static void
setup(void)
{
	rwl_init(&rw);
	value = 0;
}

static void
teardown(void)
{
	rwl_destroy(&rw);
}

/* Holds the write lock for a while. */
static void *
writer(void *arg)
{
	rwl_wrlock(&rw);
	value = 1;
	//@ event finishedSet
	usleep(100 * 1000);
	//@ event startingUpdate
	value = 2;
	rwl_wrunlock(&rw);
	return (arg);
}

//@ schedule finishedSet -> startingRead, [startingRead] -> startingUpdate
START_TEST(reader_waits_for_writer)
{
	pthread_t t;

	pthread_create(&t, NULL, writer, NULL);
	usleep(40 * 1000);
	//@ event startingRead
	rwl_rdlock(&rw);
	ck_assert_int_eq(value, 2);
	rwl_rdunlock(&rw);
	pthread_join(t, NULL);
}
END_TEST

//@ schedule finishedSet -> startingTry, finishedTry -> startingUpdate
START_TEST(try_fails_while_written)
{
	pthread_t t;

	pthread_create(&t, NULL, writer, NULL);
	usleep(40 * 1000);
	//@ event startingTry
	ck_assert_int_eq(rwl_tryrdlock(&rw), EBUSY);
	ck_assert_int_eq(rwl_trywrlock(&rw), EBUSY);
	//@ event finishedTry
	pthread_join(t, NULL);
	ck_assert_int_eq(rwl_tryrdlock(&rw), 0);
	rwl_rdunlock(&rw);
}
END_TEST

static void *
reader(void *arg)
{
	rwl_rdlock(&rw);
	//@ event finishedRdlock
	usleep(80 * 1000);
	//@ event startingReadValue
	*(int *)arg = value;
	rwl_rdunlock(&rw);
	return (NULL);
}

/* Readers do not keep each other out. */
//@ schedule finishedRdlock -> startingTryread, finishedTryread -> startingReadValue
START_TEST(readers_share)
{
	pthread_t t;
	int seen = -1;

	pthread_create(&t, NULL, reader, &seen);
	usleep(40 * 1000);
	//@ event startingTryread
	ck_assert_int_eq(rwl_tryrdlock(&rw), 0);
	ck_assert_int_eq(rwl_trywrlock(&rw), EBUSY);
	rwl_rdunlock(&rw);
	//@ event finishedTryread
	pthread_join(t, NULL);
	ck_assert_int_eq(seen, 0);
}
END_TEST

//@ schedule finishedRdlock -> startingWrite, [startingWrite] -> startingReadValue
START_TEST(writer_waits_for_reader)
{
	pthread_t t;
	int seen = -1;

	pthread_create(&t, NULL, reader, &seen);
	usleep(40 * 1000);
	//@ event startingWrite
	rwl_wrlock(&rw);
	value = 7;
	rwl_wrunlock(&rw);
	pthread_join(t, NULL);
	ck_assert_int_eq(seen, 0);
}
END_TEST

static void *
late_writer(void *arg)
{
	//@ event startingWrlock
	rwl_wrlock(&rw);
	value = 9;
	rwl_wrunlock(&rw);
	return (arg);
}

/* A reader that comes after a waiting writer does not overtake it. */
//@ schedule [startingWrlock] -> startingTryrdlock
START_TEST(writers_are_preferred)
{
	pthread_t t;

	rwl_rdlock(&rw);
	pthread_create(&t, NULL, late_writer, NULL);
	usleep(60 * 1000);
	//@ event startingTryrdlock
	ck_assert_int_eq(rwl_tryrdlock(&rw), EBUSY);
	ck_assert_int_eq(value, 0);
	rwl_rdunlock(&rw);
	pthread_join(t, NULL);
	ck_assert_int_eq(value, 9);
	ck_assert_int_eq(rwl_tryrdlock(&rw), 0);
	rwl_rdunlock(&rw);
}
END_TEST

static void
add(Suite *s, const char *name, const TTest *test)
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test);
	suite_add_tcase(s, tc);
}

int
main(int argc, char **argv)
{
	Suite *s = suite_create("rwl");
	SRunner *sr = srunner_create(s);
	int failed;

	add(s, "reader_waits_for_writer", reader_waits_for_writer);
	add(s, "try_fails_while_written", try_fails_while_written);
	add(s, "readers_share", readers_share);
	add(s, "writer_waits_for_reader", writer_waits_for_reader);
	add(s, "writers_are_preferred", writers_are_preferred);
	srunner_set_fork_status(sr, CK_NOFORK);
	srunner_run(sr, NULL, argc > 1 ? argv[1] : NULL, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return (failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}
