/* Each two of the three threads have a lock in common, though not all three have.
 * races: none
 */
#include "subject.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER,
                       c = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void add(pthread_mutex_t *one, pthread_mutex_t *other) {
    pthread_mutex_lock(one);
    pthread_mutex_lock(other);
    counter++;
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
}

static void *first(void *unused) {
    add(&a, &b);
    return unused;
}

static void *second(void *unused) {
    add(&b, &c);
    return unused;
}

static void *third(void *unused) {
    add(&a, &c);
    return unused;
}

int main(void) {
    run_three(first, second, third);
    return 0;
}
