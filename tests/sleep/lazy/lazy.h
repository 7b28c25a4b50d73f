/* Lazily initialised value: made by the first who asks; a maker that fails is tried again by the next. */
#ifndef LAZY_H
#define LAZY_H
#include <pthread.h>

enum lazy_state { LAZY_EMPTY, LAZY_BUSY, LAZY_READY };

struct lazy {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum lazy_state state;
	void *value;
	void *(*make)(void *arg);
	void *arg;
};

#define LAZY_INIT(make, arg) { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, LAZY_EMPTY, NULL, make, arg }

/* NULL: the maker failed. */
void *lazy_get(struct lazy *l);
/* The value if it is there; never waits for a maker. */
void *lazy_peek(struct lazy *l);
/* Forgets the value; waits for a maker at work. Returns what was there. */
void *lazy_reset(struct lazy *l);

#endif
