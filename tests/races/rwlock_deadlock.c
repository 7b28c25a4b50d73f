/* Each holds one lock shared and asks for the other exclusively.
 * races: none
 * deadlocks: p+q
 */
#include "subject.h"

static pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *unused) {
    pthread_rwlock_rdlock(&a);
    pthread_rwlock_wrlock(&b); /* @p */
    pthread_rwlock_unlock(&b);
    pthread_rwlock_unlock(&a);
    return unused;
}

static void *second(void *unused) {
    pthread_rwlock_rdlock(&b);
    pthread_rwlock_wrlock(&a); /* @q */
    pthread_rwlock_unlock(&a);
    pthread_rwlock_unlock(&b);
    return unused;
}

int main(void) {
    run_two(first, second);
    return 0;
}
