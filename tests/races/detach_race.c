/* A detached thread says that it has finished before it has.
 * races: a-b
 */
#include <semaphore.h>

#include "subject.h"

static sem_t begun, done;
static int result;

static void *work(void *unused) {
    sem_post(&begun);
    result = 1; /* @a */
    sem_post(&done);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&begun, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
    sem_wait(&begun);
    int seen = result; /* @b */
    sem_wait(&done);
    return seen > 1;
}
