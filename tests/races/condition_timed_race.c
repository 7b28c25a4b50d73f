/* After the time-out the message is read, there or not.
 * races: a-b
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
    struct timespec past = {.tv_sec = 1};
    pthread_mutex_lock(&lock);
    if (!ready) pthread_cond_timedwait(&changed, &lock, &past);
    pthread_mutex_unlock(&lock);
    int got = message; /* @b */
    (void)got;
    return unused;
}

int main(void) {
    run_two(sender, receiver);
    return 0;
}
