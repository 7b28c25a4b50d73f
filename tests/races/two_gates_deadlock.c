/* Both orders, each under a gate, but not under the same one.
 * races: none
 * deadlocks: p+q
 */
#include "subject.h"

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER,
                       a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
    pthread_mutex_lock(&one);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); /* @p */
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&one);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&other);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); /* @q */
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&other);
    return unused;
}

int main(void) {
    run_two(first, second);
    return 0;
}
