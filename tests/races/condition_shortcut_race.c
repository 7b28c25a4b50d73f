/* A look at the predicate without the lock saves waiting, and ordering.
 * races: a-d b-c
 */
#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, message;

static void *sender(void *unused) {
    pthread_mutex_lock(&lock);
    message = 1; /* @c */
    ready = 1;   /* @d */
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *receiver(void *unused) {
    int seen = ready; /* @a */
    if (!seen) {
        pthread_mutex_lock(&lock);
        while (!ready) pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
    }
    int got = message; /* @b */
    (void)got;
    return unused;
}

int main(void) {
    run_two(sender, receiver);
    return 0;
}
