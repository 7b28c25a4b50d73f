/* Two ways into a deadlock, and a race besides.
 * races: x-x
 * deadlocks: p+q p+r
 */
#include "subject.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *first(void *unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); /* @p */
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); /* @q */
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&a); /* @r */
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    counter++; /* @x */
    return unused;
}

int main(void) {
    run_three(first, second, second);
    return 0;
}
