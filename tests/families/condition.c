/* Condition variables: who is woken, by whom, when time runs out, and without a reason. */
#include <time.h>

#include "family.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int flag; /* under m */
static const struct timespec later = {4000000000, 0}, sooner = {3000000000, 0};

static number wait_if(const struct timespec *until) {
    number result = 0;
    pthread_mutex_lock(&m);
    if (!flag) result = 1 + (until ? pthread_cond_timedwait(&c, &m, until) : pthread_cond_wait(&c, &m));
    result = result * 10 + flag;
    pthread_mutex_unlock(&m);
    return result;
}
static number wait_while(void) {
    number rounds = 0;
    pthread_mutex_lock(&m);
    for (; !flag; rounds++) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return rounds;
}

THREAD(waits) { return wait_while(); }
THREAD(waits_once) { return wait_if(NULL); }
THREAD(timed) { return wait_if(&later); }
THREAD(timed_sooner) { return wait_if(&sooner); }
THREAD(signals) {
    pthread_mutex_lock(&m);
    flag = 1;
    pthread_mutex_unlock(&m);
    return pthread_cond_signal(&c);
}
THREAD(only_signals) { return pthread_cond_signal(&c); }
THREAD(careless) { /* the flag without the mutex: a wake-up may be lost */
    flag = 1;
    return pthread_cond_signal(&c);
}
THREAD(broadcasts) {
    pthread_mutex_lock(&m);
    flag = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    return 0;
}
THREAD(signals_twice) {
    pthread_mutex_lock(&m);
    flag = 1;
    pthread_mutex_unlock(&m);
    pthread_cond_signal(&c);
    return pthread_cond_signal(&c);
}

SCENARIOS({"signal", "-", NULL, {waits, signals}}, {"lost", "-", NULL, {waits, careless}},
          {"timed", "-", NULL, {timed, signals}}, {"timed_strict", "--timing=strict", NULL, {timed, signals}},
          {"timed_careless", "-", NULL, {timed, careless}},
          {"careless_strict", "--timing=strict", NULL, {timed, careless}},
          {"two_wait", "-", NULL, {waits_once, waits_once, only_signals}},
          {"two_waiters", "-", NULL, {waits, waits, broadcasts}},
          {"two_signals", "-", NULL, {waits_once, waits_once, signals_twice}},
          {"two_timed", "-", NULL, {timed, timed, only_signals}},
          {"two_deadlines", "--timing=strict", NULL, {timed, timed_sooner}},
          {"two_deadlines_strict", "--timing=strict", NULL, {timed, timed_sooner, signals}},
          {"spurious", "--spurious", NULL, {waits_once, signals}},
          {"spurious_while", "--spurious", NULL, {waits_once, waits_once}},
          {"spurious_timed", "--spurious", NULL, {timed, only_signals}},
          {"who", "-", NULL, {timed, waits_once, only_signals}})
