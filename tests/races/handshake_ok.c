/* The second access depends on a flag under a lock: other orders are impossible, which locks alone do not tell.
 * races: none
 * maybe: a-b
 */
#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done, value;

static void *first(void *unused) {
    value = 1; /* @a */
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&lock);
    int may = done;
    pthread_mutex_unlock(&lock);
    if (may) value = 2; /* @b */
    return unused;
}

int main(void) {
    run_two(first, second);
    return 0;
}
