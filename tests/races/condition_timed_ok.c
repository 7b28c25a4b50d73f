/* After the time-out nothing is read.
 * races: none
 * maybe: a-b
 */
#include <time.h>

#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, message;

static void *sender(void *unused) {
    message = 1; /* @a */
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *receiver(void *unused) {
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec = 0;
    soon.tv_sec++;
    int late = 0, got = 0;
    pthread_mutex_lock(&lock);
    while (!ready && !late) late = pthread_cond_timedwait(&changed, &lock, &soon);
    int there = ready;
    pthread_mutex_unlock(&lock);
    if (there) got = message; /* @b */
    (void)got;
    return unused;
}

int main(void) {
    run_two(sender, receiver);
    return 0;
}
