/* The third philosopher takes the forks in the order of the others.
 * races: none
 * deadlocks: none
 */
#include "subject.h"

static pthread_mutex_t forks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_MUTEX_INITIALIZER};

static void eat(int one, int other) {
    pthread_mutex_lock(&forks[one]);
    pthread_mutex_lock(&forks[other]);
    pthread_mutex_unlock(&forks[other]);
    pthread_mutex_unlock(&forks[one]);
}

static void *first(void *unused) {
    eat(0, 1);
    return unused;
}

static void *second(void *unused) {
    eat(1, 2);
    return unused;
}

static void *third(void *unused) {
    eat(0, 2);
    return unused;
}

int main(void) {
    run_three(first, second, third);
    return 0;
}
