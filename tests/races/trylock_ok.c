/* Who does not get the lock does not touch the counter.
 * races: none
 */
#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *try_to_add(void *unused) {
    if (pthread_mutex_trylock(&lock) != 0) return unused;
    counter++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    run_two(try_to_add, try_to_add);
    return 0;
}
