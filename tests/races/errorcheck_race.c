/* The stranger believes that it holds the lock, though its unlock and not its lock was called.
 * races: a-b
 */
#include "subject.h"

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int counter;

static void *owner(void *unused) {
    pthread_mutex_lock(&lock);
    counter++; /* @a */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *stranger(void *unused) {
    pthread_mutex_unlock(&lock);
    counter++; /* @b */
    return unused;
}

int main(void) {
    run_two(owner, stranger);
    return 0;
}
