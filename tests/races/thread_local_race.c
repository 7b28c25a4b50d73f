/* Thread-local, but its address was given away.
 * races: a-b
 */
#include <semaphore.h>

#include "subject.h"

static _Thread_local int own;
static int *given;
static sem_t ready, done;

static void *owner(void *unused) {
    given = &own;
    sem_post(&ready);
    own = 1; /* @a */
    sem_wait(&done);
    return unused;
}

static void *borrower(void *unused) {
    sem_wait(&ready);
    *given = 2; /* @b */
    sem_post(&done);
    return unused;
}

int main(void) {
    sem_init(&ready, 0, 0);
    sem_init(&done, 0, 0);
    run_two(owner, borrower);
    return 0;
}
