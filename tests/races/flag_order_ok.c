/* The other order is taken only once a flag under a lock says that the first one is over.
 * races: none
 * deadlocks: none
 * maybe: p+q
 */
#include "subject.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER,
                       c = PTHREAD_MUTEX_INITIALIZER;
static int over;

static void *first(void *unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); /* @p */
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&c);
    over = 1;
    pthread_mutex_unlock(&c);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&c);
    int may = over;
    pthread_mutex_unlock(&c);
    if (!may) return unused;
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); /* @q */
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void) {
    run_two(first, second);
    return 0;
}
