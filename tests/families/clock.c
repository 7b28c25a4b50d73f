/* Time: sleeps, the clock, deadlines. */
#include <sched.h>
#include <semaphore.h>
#include <time.h>

#include "family.h"

static _Atomic int x;
static sem_t s;

static number now(void) { /* ms */
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}
static void rest(number ms) {
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}
static void empty(void) { sem_init(&s, 0, 0); }
static struct timespec after(number ms) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += ms * 1000000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

THREAD(sleeps) {
    rest(10);
    return x++;
}
THREAD(sleeps_long) {
    rest(500);
    return x++;
}
THREAD(adds) { return x++; }
THREAD(measures) { /* whether a long time has passed in between */
    number begin = now();
    x++;
    return now() - begin >= 500;
}
THREAD(only_sleeps) { return rest(500), 0; }
THREAD(waits) {
    struct timespec until = after(50);
    return sem_timedwait(&s, &until) != 0;
}
THREAD(posts_late) {
    rest(100);
    return sem_post(&s);
}
THREAD(posts_early) {
    rest(20);
    return sem_post(&s);
}
THREAD(sleeps_twice) {
    rest(10);
    number first = x++;
    rest(10);
    return first * 10 + x++;
}

SCENARIOS({"sleep", "-", NULL, {sleeps, adds}}, {"two_sleep", "-", NULL, {sleeps, sleeps_long}},
          {"two_sleep_strict", "--timing=strict", NULL, {sleeps, sleeps_long}},
          {"same_deadline_strict", "--timing=strict", NULL, {sleeps, sleeps, adds}},
          {"sleeps_strict", "--timing=strict", NULL, {sleeps_twice, sleeps_twice}},
          {"measure", "-", NULL, {measures, only_sleeps}},
          {"measure_strict", "--timing=strict", NULL, {measures, only_sleeps}},
          {"late", "-", empty, {waits, posts_late}},
          {"late_strict", "--timing=strict", empty, {waits, posts_late}},
          {"early_strict", "--timing=strict", empty, {waits, posts_early}},
          {"both_strict", "--timing=strict", empty, {waits, posts_early, sleeps}})
