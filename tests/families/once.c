/* pthread_once, C11 threads, thread-specific data. */
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

#include "family.h"

static pthread_once_t control = PTHREAD_ONCE_INIT;
static once_flag flag = ONCE_FLAG_INIT;
static atomic_int calls;
static int made;
static pthread_key_t key;

static void initialise(void) {
    calls++;
    made = 7;
}
static void leaves(void) {
    if (calls++ == 0) pthread_exit((void *)5);
    made = 7;
}
THREAD(uses) {
    pthread_once(&control, initialise);
    return made * 10 + calls;
}
THREAD(peeks) { return made; }
THREAD(leaves_once) {
    pthread_once(&control, leaves);
    return made * 10 + calls;
}
THREAD(calls_once) {
    call_once(&flag, initialise);
    return made * 10 + calls;
}

/* Two that need each other, and end after one turn. A control that is done is passed without a point, so whether there
 * is one depends on what the other has done. */
static pthread_once_t other_control = PTHREAD_ONCE_INIT;
static _Thread_local int depth;
static void cross_one(void);
static void cross_other(void);
static void make_one(void) {
    calls++;
    cross_other();
}
static void make_other(void) {
    calls++;
    cross_one();
}
static void cross_one(void) {
    if (depth++ < 2) pthread_once(&control, make_one);
    depth--;
}
static void cross_other(void) {
    if (depth++ < 2) pthread_once(&other_control, make_other);
    depth--;
}
THREAD(crosses_one) { return cross_one(), calls; }
THREAD(crosses_other) { return cross_other(), calls; }

static mtx_t mutex;
static cnd_t cond;
static atomic_int number_of;
static void make(void) {
    mtx_init(&mutex, mtx_timed);
    cnd_init(&cond);
}
THREAD(c11_waits) {
    mtx_lock(&mutex);
    number rounds = 0;
    for (; made == 0; rounds++) cnd_wait(&cond, &mutex);
    mtx_unlock(&mutex);
    return rounds;
}
THREAD(c11_sets) {
    mtx_lock(&mutex);
    made = 1;
    cnd_signal(&cond);
    mtx_unlock(&mutex);
    return 0;
}
THREAD(c11_tries) {
    const struct timespec later = {4000000000, 0};
    if (mtx_timedlock(&mutex, &later) != thrd_success) return -1;
    number seen = made;
    mtx_unlock(&mutex);
    return seen;
}
static int adds(void *amount) { return atomic_fetch_add(&number_of, (int)(intptr_t)amount); }
static number c11_threads(void) {
    thrd_t one, two;
    int first, second;
    thrd_create(&one, adds, (void *)1);
    thrd_create(&two, adds, (void *)2);
    number between = atomic_exchange(&number_of, 10);
    thrd_join(one, &first);
    thrd_join(two, &second);
    return between * 10000 + first * 100 + second;
}
THREAD(swaps) {
    int expected = 0;
    return atomic_compare_exchange_strong(&number_of, &expected, 3) * 10 + expected;
}
THREAD(ors) { return atomic_fetch_or(&number_of, 4); }

static void destroys(void *value) { number_of = number_of * 3 + (int)(intptr_t)value; }
static void make_key(void) { pthread_key_create(&key, destroys); }
THREAD(keeps1) { return pthread_setspecific(key, (void *)1), 0; }
THREAD(keeps2) { return pthread_setspecific(key, (void *)2), 0; }
THREAD(deletes) { return pthread_key_delete(key); }
static number sum(void) { return number_of; }

SCENARIOS({"once", "-", NULL, {uses, uses}}, {"once_peek", "-", NULL, {uses, uses, peeks}},
          {"once_cross", "-", NULL, {crosses_one, crosses_other}},
          {"once_left", "-", NULL, {leaves_once, leaves_once}},
          {"call_once", "-", NULL, {calls_once, calls_once}},
          {"c11_condition", "-", make, {c11_waits, c11_sets}},
          {"c11_timed", "-", make, {c11_tries, c11_sets}}, {"c11_threads", "-", NULL, {0}, NULL, c11_threads},
          {"atomics", "-", NULL, {swaps, ors, swaps}, sum}, {"keys", "-", make_key, {keeps1, keeps2}, sum},
          {"key_deleted", "-", make_key, {keeps1, deletes}, sum})
