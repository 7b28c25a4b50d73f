/* Both orders, but under a lock that lets only one in.
 * races: none
 * deadlocks: none
 */
#include "subject.h"

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER, a = PTHREAD_MUTEX_INITIALIZER,
                       b = PTHREAD_MUTEX_INITIALIZER;

static void take(pthread_mutex_t *one, pthread_mutex_t *other) {
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(one);
    pthread_mutex_lock(other);
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
    pthread_mutex_unlock(&gate);
}

static void *first(void *unused) {
    take(&a, &b);
    return unused;
}

static void *second(void *unused) {
    take(&b, &a);
    return unused;
}

int main(void) {
    run_two(first, second);
    return 0;
}
