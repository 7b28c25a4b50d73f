/* One access too late: after the outer unlock of a recursive mutex.
 * races: a-c b-c c-c
 */
#include "subject.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int depth;

static void *nest(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    depth++; /* @a */
    pthread_mutex_unlock(&lock);
    depth++; /* @b */
    pthread_mutex_unlock(&lock);
    depth++; /* @c */
    return unused;
}

int main(void) {
    run_two(nest, nest);
    return 0;
}
