/* Who does not get the lock does it all the same. That both do so cannot be: one of them gets the lock.
 * races: a-b
 */
#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add_anyway(void *unused) {
    if (pthread_mutex_trylock(&lock) == 0) {
        counter++; /* @a */
        pthread_mutex_unlock(&lock);
    } else {
        counter++; /* @b */
    }
    return unused;
}

int main(void) {
    run_two(add_anyway, add_anyway);
    return 0;
}
