/* A semaphore that lets two in is no lock.
 * races: a-a
 */
#include <semaphore.h>

#include "subject.h"

static sem_t places;
static int counter;

static void *add(void *unused) {
    sem_wait(&places);
    counter++; /* @a */
    sem_post(&places);
    return unused;
}

int main(void) {
    sem_init(&places, 0, 2);
    run_two(add, add);
    return 0;
}
