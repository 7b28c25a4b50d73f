/* Waits for a condition while it holds another lock: to go on it must have its mutex back.
 * races: none
 * deadlocks: p+q
 */
#include "subject.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *unused) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    while (!ready) pthread_cond_wait(&changed, &b); /* @p */
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

static void *signaller(void *unused) {
    pthread_mutex_lock(&b);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&b);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); /* @q */
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void) {
    run_two(waiter, signaller);
    return 0;
}
