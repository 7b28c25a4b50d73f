/* A second lock and a stranger's unlock are refused by an errorcheck mutex and change nothing.
 * races: none
 */
#include <errno.h>

#include "subject.h"

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int counter;

static void *owner(void *unused) {
    pthread_mutex_lock(&lock);
    if (pthread_mutex_lock(&lock) == EDEADLK) counter++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *stranger(void *unused) {
    if (pthread_mutex_unlock(&lock) != EPERM) return unused;
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    run_two(owner, stranger);
    return 0;
}
