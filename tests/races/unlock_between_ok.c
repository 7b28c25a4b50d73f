/* Check and act in two critical sections: not atomic, but no data race.
 * races: none
 */
#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 1;

static void *take(void *unused) {
    pthread_mutex_lock(&lock);
    int seen = balance;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    if (seen > 0) balance = seen - 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    run_two(take, take);
    return 0;
}
