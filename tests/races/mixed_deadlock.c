/* A mutex and a reader-writer lock.
 * races: none
 * deadlocks: p+q
 */
#include "subject.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t b = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *unused) {
    pthread_mutex_lock(&a);
    pthread_rwlock_rdlock(&b); /* @p */
    pthread_rwlock_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *second(void *unused) {
    pthread_rwlock_wrlock(&b);
    pthread_mutex_lock(&a); /* @q */
    pthread_mutex_unlock(&a);
    pthread_rwlock_unlock(&b);
    return unused;
}

int main(void) {
    run_two(first, second);
    return 0;
}
