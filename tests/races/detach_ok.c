/* A detached thread tells that it has finished.
 * races: none
 */
#include <semaphore.h>

#include "subject.h"

static sem_t done;
static int result;

static void *work(void *unused) {
    result = 1;
    sem_post(&done);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
    sem_wait(&done);
    return result != 1;
}
