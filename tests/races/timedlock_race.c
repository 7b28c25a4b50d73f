/* The deadline has passed already: who finds the lock taken goes on without it.
 * races: a-b
 */
#include <time.h>

#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *patient(void *unused) {
    pthread_mutex_lock(&lock);
    counter++; /* @a */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *hasty(void *unused) {
    struct timespec past = {.tv_sec = 1};
    if (pthread_mutex_timedlock(&lock, &past) == 0)
        pthread_mutex_unlock(&lock);
    else
        counter++; /* @b */
    return unused;
}

int main(void) {
    run_two(patient, hasty);
    return 0;
}
