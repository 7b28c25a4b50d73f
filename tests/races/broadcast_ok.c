/* One sender, two receivers who wait for the same condition, and read only.
 * races: none
 * maybe: a-b
 */
#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, message;

static void *sender(void *unused) {
    message = 1; /* @a */
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    pthread_cond_broadcast(&changed);
    return unused;
}

static void *receiver(void *unused) {
    pthread_mutex_lock(&lock);
    while (!ready) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    int got = message; /* @b */
    (void)got;
    return unused;
}

int main(void) {
    run_three(sender, receiver, receiver);
    return 0;
}
