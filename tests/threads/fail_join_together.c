/* fails: misuse: join of thread 1, which thread [02] is joining */
#include <pthread.h>
#include <semaphore.h>

static sem_t gate;
static pthread_t thread;

static void *wait_at_gate(void *unused) {
    sem_wait(&gate);
    return unused;
}

static void *join(void *unused) {
    pthread_join(thread, NULL);
    return unused;
}

int main(void) {
    pthread_t other;
    sem_init(&gate, 0, 0);
    pthread_create(&thread, NULL, wait_at_gate, NULL);
    pthread_create(&other, NULL, join, NULL);
    pthread_join(thread, NULL);
    return 0;
}
