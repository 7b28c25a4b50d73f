/* Both orders, but both locks are only ever shared.
 * races: none
 * deadlocks: none
 */
#include "subject.h"

static pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;

static void take(pthread_rwlock_t *one, pthread_rwlock_t *other) {
    pthread_rwlock_rdlock(one);
    pthread_rwlock_rdlock(other);
    pthread_rwlock_unlock(other);
    pthread_rwlock_unlock(one);
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
