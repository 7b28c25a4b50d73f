/* A semaphore as a message, and another one as a lock.
 * races: none
 */
#include <semaphore.h>

#include "subject.h"

static sem_t ready, mutex;
static int message, counter;

static void add(void) {
    sem_wait(&mutex);
    counter++;
    sem_post(&mutex);
}

static void *sender(void *unused) {
    message = 1;
    sem_post(&ready);
    add();
    return unused;
}

static void *receiver(void *unused) {
    sem_wait(&ready);
    int got = message;
    add();
    (void)got;
    return unused;
}

int main(void) {
    sem_init(&ready, 0, 0);
    sem_init(&mutex, 0, 1);
    run_two(sender, receiver);
    return 0;
}
