/* The inner unlock of a recursive mutex does not release it.
 * races: none
 */
#include "subject.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int depth;

static void *nest(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    depth++;
    pthread_mutex_unlock(&lock);
    depth--;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    run_two(nest, nest);
    return depth;
}
