/* Reads only if the post has happened.
 * races: none
 */
#include <semaphore.h>

#include "subject.h"

static sem_t ready;
static int message;

static void *sender(void *unused) {
    message = 1;
    sem_post(&ready);
    return unused;
}

static void *receiver(void *unused) {
    int got = 0;
    if (sem_trywait(&ready) == 0) got = message;
    (void)got;
    return unused;
}

int main(void) {
    sem_init(&ready, 0, 0);
    run_two(sender, receiver);
    return 0;
}
