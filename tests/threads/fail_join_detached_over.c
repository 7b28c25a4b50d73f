/* fails: misuse: join of thread 1, which was detached and is over */
#include <pthread.h>
#include <semaphore.h>

static sem_t gate;

static void *open_gate(void *unused) {
    sem_post(&gate);
    return unused;
}

static void *wait_for_gate(void *thread) {
    sem_wait(&gate);
    pthread_join(*(pthread_t *)thread, NULL);
    return NULL;
}

int main(void) {
    pthread_t opener, waiter;
    sem_init(&gate, 0, 0);
    pthread_create(&opener, NULL, open_gate, NULL);
    pthread_detach(opener);
    pthread_create(&waiter, NULL, wait_for_gate, &opener);
    pthread_join(waiter, NULL);
    return 0;
}
