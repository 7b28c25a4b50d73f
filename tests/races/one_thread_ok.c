/* One thread takes both orders itself.
 * races: none
 * deadlocks: none
 */
#include "subject.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void take(pthread_mutex_t *one, pthread_mutex_t *other) {
    pthread_mutex_lock(one);
    pthread_mutex_lock(other);
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
}

static void *both(void *unused) {
    take(&a, &b);
    take(&b, &a);
    return unused;
}

static void *single(void *unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    return unused;
}

int main(void) {
    run_two(both, single);
    return 0;
}
