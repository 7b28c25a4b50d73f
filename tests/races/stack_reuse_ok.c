/* The stack of a finished detached thread may be that of the next thread: different objects, no race.
 * races: none
 */
#include <semaphore.h>

#include "subject.h"

static sem_t done;

static void *work(void *unused) {
    volatile int local[8] = {1};
    local[7] = local[0];
    sem_post(&done);
    local[6] = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&done, 0, 0);
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, work, NULL);
        pthread_detach(thread);
    }
    sem_wait(&done);
    sem_wait(&done);
    return 0;
}
