/* A gate that both hold shared keeps nobody out.
 * races: none
 * deadlocks: p+q
 */
#include "subject.h"

static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
    pthread_rwlock_rdlock(&gate);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); /* @p */
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_rwlock_unlock(&gate);
    return unused;
}

static void *second(void *unused) {
    pthread_rwlock_rdlock(&gate);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); /* @q */
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    pthread_rwlock_unlock(&gate);
    return unused;
}

int main(void) {
    run_two(first, second);
    return 0;
}
