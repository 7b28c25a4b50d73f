/* A semaphore that one thread takes and another one gives back: the baton goes round.
 * races: none
 */
#include <semaphore.h>

#include "subject.h"

static sem_t mine, yours;
static int value;

static void *ping(void *unused) {
    for (int i = 0; i < 2; i++) {
        sem_wait(&mine);
        value++;
        sem_post(&yours);
    }
    return unused;
}

static void *pong(void *unused) {
    for (int i = 0; i < 2; i++) {
        sem_wait(&yours);
        value++;
        sem_post(&mine);
    }
    return unused;
}

int main(void) {
    sem_init(&mine, 0, 1);
    sem_init(&yours, 0, 0);
    run_two(ping, pong);
    return value != 4;
}
