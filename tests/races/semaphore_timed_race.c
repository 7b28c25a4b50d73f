/* The wait is over without a post, and nobody looks at what it returned.
 * races: a-b
 */
#include <semaphore.h>
#include <time.h>

#include "subject.h"

static sem_t ready;
static int message;

static void *sender(void *unused) {
    message = 1; /* @a */
    sem_post(&ready);
    return unused;
}

static void *receiver(void *unused) {
    struct timespec past = {.tv_sec = 1};
    sem_timedwait(&ready, &past);
    int got = message; /* @b */
    (void)got;
    return unused;
}

int main(void) {
    sem_init(&ready, 0, 0);
    run_two(sender, receiver);
    return 0;
}
