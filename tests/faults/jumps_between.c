/* Jumps out of one thread into the frame of another. Outcome: named as what it is, never run. */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stddef.h>

static jmp_buf place;
static sem_t set, go;

static void *marks(void *unused) {
    (void)unused;
    if (setjmp(place)) return NULL;
    sem_post(&set);
    sem_wait(&go);
    return NULL;
}

static void *jumps(void *unused) {
    (void)unused;
    sem_wait(&set);
    longjmp(place, 1);
}

int main(void) {
    pthread_t threads[2];
    sem_init(&set, 0, 0);
    sem_init(&go, 0, 0);
    pthread_create(&threads[0], NULL, marks, NULL);
    pthread_create(&threads[1], NULL, jumps, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
