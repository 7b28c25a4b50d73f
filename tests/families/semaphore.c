/* Semaphores. */
#include <errno.h>
#include <semaphore.h>
#include <time.h>

#include "family.h"

static sem_t s, t;
static _Atomic int order;
static const struct timespec later = {4000000000, 0};

static void zero(void) { sem_init(&s, 0, 0), sem_init(&t, 0, 0); }
static void one(void) { sem_init(&s, 0, 1), sem_init(&t, 0, 0); }
static void two(void) { sem_init(&s, 0, 2), sem_init(&t, 0, 0); }
static number value(void) {
    int value;
    sem_getvalue(&s, &value);
    return value;
}

THREAD(waits) { return sem_wait(&s) * 10 + ++order; }
THREAD(holds) {
    sem_wait(&s);
    number seen = ++order;
    sem_post(&s);
    return seen;
}
THREAD(tries) { return sem_trywait(&s) ? -errno : 0; }
THREAD(timed) { return sem_timedwait(&s, &later) ? -errno : 0; }
THREAD(posts) { return sem_post(&s); }
THREAD(posts_twice) { return sem_post(&s) + sem_post(&s); }
THREAD(looks) {
    number before = value();
    return before * 10 + value();
}
THREAD(waits_then_tells) { /* the first of the two gives the second to the other */
    sem_wait(&s);
    sem_post(&t);
    return ++order;
}
THREAD(refills) {
    sem_wait(&t);
    return sem_post(&s);
}

SCENARIOS({"hold", "-", one, {holds, holds, tries}, value},
          {"two_units", "-", two, {waits, waits, tries}, value}, {"starve", "-", one, {waits, waits}, value},
          {"try", "-", one, {tries, tries, posts}, value},
          {"wait_post", "-", zero, {waits, posts, looks}, value}, {"timed", "-", zero, {timed, posts}, value},
          {"timed_strict", "--timing=strict", zero, {timed, posts}, value},
          {"two_timed", "-", one, {timed, timed, posts}, value},
          {"two_timed_strict", "--timing=strict", zero, {timed, timed, posts}, value},
          {"posts_twice", "-", zero, {waits, waits, posts_twice}, value},
          {"refill", "-", one, {waits_then_tells, refills, waits}, value},
          {"look", "-", one, {looks, waits, posts}, value})
