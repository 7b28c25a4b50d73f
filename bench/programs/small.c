/* Three threads, about 50 scheduling points: the size of a unit test. */
#include <pthread.h>

enum { THREADS = 3, ROUNDS = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter, last;

static void *work(void *argument) {
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        last = *(int *)argument;
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void) {
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return counter == THREADS * ROUNDS && last >= 0 ? 0 : 1;
}
