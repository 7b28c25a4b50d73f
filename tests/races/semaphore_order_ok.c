/* The other order begins after a post: never at once.
 * races: none
 * deadlocks: none
 */
#include <semaphore.h>

#include "subject.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready;

static void *first(void *unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    sem_post(&ready);
    return unused;
}

static void *second(void *unused) {
    sem_wait(&ready);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void) {
    sem_init(&ready, 0, 0);
    run_two(first, second);
    return 0;
}
