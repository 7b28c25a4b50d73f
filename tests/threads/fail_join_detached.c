/* fails: misuse: join of thread 1, which is detached */
#include <pthread.h>
#include <semaphore.h>

static sem_t gate;

static void *wait_at_gate(void *unused) {
    sem_wait(&gate);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&gate, 0, 0);
    pthread_create(&thread, NULL, wait_at_gate, NULL);
    pthread_detach(thread);
    pthread_join(thread, NULL);
    return 0;
}
