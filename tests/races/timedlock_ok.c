/* Gives up if the lock is not to be had in time.
 * races: none
 */
#include <time.h>

#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add(void *unused) {
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    if (pthread_mutex_timedlock(&lock, &soon) != 0) return unused;
    counter++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    run_two(add, add);
    return 0;
}
