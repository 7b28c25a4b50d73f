/* What the subjects share: their size from the command line, and work that has nothing to do with their bug.
 *
 * The paper inserted "arbitrary shared memory accesses and locking statements" into the extracted bugs to make them
 * nontrivial. unrelated_work() is ours: four scheduling points a round, free of races (a lock, a counter under it, an
 * atomic mark), conflicting between threads, so that a search that does not know better orders them in every way.
 */
#ifndef HAPSET_SUBJECT_H
#define HAPSET_SUBJECT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* nanosleep, with -std=c17 */
#endif
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct {
    pthread_mutex_t lock;
    int calls;       /* under lock */
    atomic_int last; /* thread that worked last */
} unrelated = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Where the original is slow (a disk, a device, a user), which is what hides its bug in ordinary runs. Only programs
 * built with -DNATIVE sleep: under ravel it would be one more thing to schedule. */
static inline void slow_outside(void) {
#ifdef NATIVE
    nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
#endif
}

static inline void unrelated_work(int thread, int rounds) {
    for (int i = 0; i < rounds; i++) {
        atomic_store(&unrelated.last, thread);
        pthread_mutex_lock(&unrelated.lock);
        unrelated.calls++;
        pthread_mutex_unlock(&unrelated.lock);
    }
}

/* The number at `position` of the command line, or `fallback`; one out of range ends the program with status 2. */
static inline int size_argument(int argc, char **argv, int position, int fallback, int least, int most) {
    if (argc <= position) return fallback;
    char *end;
    long value = strtol(argv[position], &end, 10);
    if (*end || end == argv[position] || value < least || value > most) {
        fprintf(stderr, "argument %d: a number from %d to %d expected, not '%s'\n", position, least, most,
                argv[position]);
        exit(2);
    }
    return (int)value;
}

#endif
