#include "lazy.h"

#undef NDEBUG
#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

//@ sleep nap

static void nap(int milliseconds)
{
	const struct timespec t = { 0, milliseconds * 1000000L };

	while (nanosleep(&t, NULL) != 0) //@ keep
		;
}

static atomic_int made;
static int object;

static void *make_slowly(void *arg)
{
	(void)arg;
	made++;
	//@ event finishedMade
	nap(80);
	//@ event startingReturn
	return &object;
}

static void *make_or_fail(void *arg)
{
	(void)arg;
	made++;
	if (made == 1) {
		//@ event finishedFirstMade
		nap(80);
		//@ event startingReturnNull
		return NULL;
	}
	return &object;
}

static void *getter(void *l)
{
	return lazy_get(l);
}

/* A second thread that comes while the value is made gets the same one. */
//@ schedule finishedMade -> startingSecondGet, [startingSecondGet] -> startingReturn
static void made_once(void)
{
	struct lazy l = LAZY_INIT(make_slowly, NULL);
	pthread_t t;
	void *theirs;

	pthread_create(&t, NULL, getter, &l);
	nap(30);
	//@ event startingSecondGet
	assert(lazy_get(&l) == &object);
	pthread_join(t, &theirs);
	assert(theirs == &object);
	assert(made == 1);
}

//@ schedule finishedMade -> startingPeek, finishedPeek -> startingReturn
static void peek_does_not_wait(void)
{
	struct lazy l = LAZY_INIT(make_slowly, NULL);
	pthread_t t;

	assert(lazy_peek(&l) == NULL);
	pthread_create(&t, NULL, getter, &l);
	nap(30);
	//@ event startingPeek
	assert(lazy_peek(&l) == NULL);
	//@ event finishedPeek
	pthread_join(t, NULL);
	assert(lazy_peek(&l) == &object);
}

/* When the maker fails one of those who wait has to make it. */
//@ schedule finishedFirstMade -> startingRetry, [startingRetry] -> startingReturnNull
static void failure_is_retried(void)
{
	struct lazy l = LAZY_INIT(make_or_fail, NULL);
	pthread_t t;
	void *theirs;

	pthread_create(&t, NULL, getter, &l);
	nap(30);
	//@ event startingRetry
	assert(lazy_get(&l) == &object);
	pthread_join(t, &theirs);
	assert(theirs == NULL);
	assert(made == 2);
}

static void *resetter(void *l)
{
	nap(30);
	//@ event startingReset
	void *old = lazy_reset(l);
	assert(old == &object);
	return NULL;
}

//@ schedule finishedMade -> startingReset, [startingReset] -> startingReturn
static void reset_waits_for_maker(void)
{
	struct lazy l = LAZY_INIT(make_slowly, NULL);
	pthread_t t;

	pthread_create(&t, NULL, resetter, &l);
	assert(lazy_get(&l) == &object);
	pthread_join(t, NULL);
	assert(lazy_peek(&l) == NULL);
}

int main(int argc, char *argv[])
{
	static const struct {
		const char *name;
		void (*test)(void);
	} tests[] = {
		{ "made_once", made_once },
		{ "peek_does_not_wait", peek_does_not_wait },
		{ "failure_is_retried", failure_is_retried },
		{ "reset_waits_for_maker", reset_waits_for_maker },
	};

	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		if (argc > 1 && strcmp(argv[1], tests[i].name))
			continue;
		made = 0;
		tests[i].test();
		fprintf(stderr, "%s: ok\n", tests[i].name);
	}
	return 0;
}
