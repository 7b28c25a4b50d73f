/* Both orders, before the start of the other thread and after its end: never at once.
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

static void *work(void *unused) {
    take(&b, &a);
    return unused;
}

int main(void) {
    pthread_t thread;
    take(&a, &b);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    take(&a, &b);
    return 0;
}
