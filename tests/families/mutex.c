/* Mutexes: lock, trylock, timed lock, of all types. */
#include <errno.h>
#include <time.h>

#include "family.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER, robust;
static int order; /* under m */
static const struct timespec later = {4000000000, 0};

static number take(pthread_mutex_t *mutex, int who) {
    pthread_mutex_lock(mutex);
    number seen = order = order * 4 + who;
    pthread_mutex_unlock(mutex);
    return seen;
}
static number tries(pthread_mutex_t *mutex, int who) {
    if (pthread_mutex_trylock(mutex) != 0) return -1;
    number seen = order = order * 4 + who;
    pthread_mutex_unlock(mutex);
    return seen;
}
static number timed(pthread_mutex_t *mutex, int who) {
    if (pthread_mutex_timedlock(mutex, &later) != 0) return -1;
    number seen = order = order * 4 + who;
    pthread_mutex_unlock(mutex);
    return seen;
}

THREAD(lock1) { return take(&m, 1); }
THREAD(lock2) { return take(&m, 2); }
THREAD(lock3) { return take(&m, 3); }
THREAD(try1) { return tries(&m, 1); }
THREAD(try2) { return tries(&m, 2); }
THREAD(try3) { return tries(&m, 3); }
THREAD(timed1) { return timed(&m, 1); }
THREAD(timed2) { return timed(&m, 2); }
THREAD(twice) { return take(&m, 1) * 64 + take(&m, 1); }
THREAD(two_tries) { return tries(&m, 2) * 64 + tries(&m, 2); }
THREAD(forward) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&n);
    pthread_mutex_unlock(&n);
    pthread_mutex_unlock(&m);
    return 0;
}
THREAD(backward) {
    pthread_mutex_lock(&n);
    number busy = pthread_mutex_trylock(&m);
    if (busy) {
        pthread_mutex_unlock(&n);
        pthread_mutex_lock(&m);
        pthread_mutex_lock(&n);
    }
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&n);
    return busy;
}
THREAD(backward_wrong) {
    pthread_mutex_lock(&n);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&n);
    return 0;
}
THREAD(patient) {
    pthread_mutex_lock(&n);
    number failed = pthread_mutex_timedlock(&m, &later) != 0;
    if (!failed) pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&n);
    return failed;
}

static void make_robust(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attributes);
}
THREAD(dies) {
    pthread_mutex_lock(&robust);
    return 0;
}
THREAD(inherits) {
    number error = pthread_mutex_lock(&robust);
    if (error == EOWNERDEAD) pthread_mutex_consistent(&robust);
    pthread_mutex_unlock(&robust);
    return error;
}
THREAD(may_inherit) {
    number error = pthread_mutex_trylock(&robust);
    if (error == EBUSY) return error;
    if (error == EOWNERDEAD) pthread_mutex_consistent(&robust);
    pthread_mutex_unlock(&robust);
    return error;
}

static void make_recursive(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attributes);
}
THREAD(again) {
    pthread_mutex_lock(&m);
    number seen = take(&m, 1);
    pthread_mutex_unlock(&m);
    return seen;
}
static void make_checking(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &attributes);
}
THREAD(wrong) { /* unlocks what it does not hold */
    return pthread_mutex_unlock(&m);
}
THREAD(destroys_at_once) { return pthread_mutex_destroy(&m); }
THREAD(destroys) {
    take(&m, 2);
    return pthread_mutex_destroy(&m);
}

SCENARIOS({"three", "-", NULL, {lock1, lock2, lock3}}, {"twice", "-", NULL, {twice, lock2}},
          {"try", "-", NULL, {lock1, try2, try3}}, {"tries", "-", NULL, {try1, try2, try3}},
          {"two_tries", "-", NULL, {twice, two_tries}}, {"timed", "-", NULL, {lock1, timed2, lock3}},
          {"timed_strict", "--timing=strict", NULL, {lock1, timed2, lock3}},
          {"two_timed", "-", NULL, {timed1, timed2, try3}}, {"back_off", "-", NULL, {forward, backward}},
          {"deadlock", "-", NULL, {forward, backward_wrong}},
          {"patient", "-", NULL, {forward, patient, patient}},
          {"patient_strict", "--timing=strict", NULL, {forward, patient, patient}},
          {"robust", "-", make_robust, {dies, inherits}},
          {"robust_try", "-", make_robust, {dies, may_inherit}},
          {"robust_both", "-", make_robust, {dies, may_inherit, inherits}},
          {"recursive", "-", make_recursive, {again, try2, lock3}},
          {"checking", "-", make_checking, {lock1, wrong}}, {"destroy", "-", NULL, {lock1, destroys}},
          {"destroy_first", "-", NULL, {destroys_at_once, lock1}})
