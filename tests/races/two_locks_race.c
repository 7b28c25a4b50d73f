/* Each thread has a lock of its own for the same variable.
 * races: a-b
 */
#include "subject.h"

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *first(void *unused) {
    pthread_mutex_lock(&one);
    counter++; /* @a */
    pthread_mutex_unlock(&one);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&other);
    counter++; /* @b */
    pthread_mutex_unlock(&other);
    return unused;
}

int main(void) {
    run_two(first, second);
    return 0;
}
