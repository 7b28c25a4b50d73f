/* A thousand threads at once. Outcome: nothing found. */
#include <assert.h>
#include <pthread.h>

enum { THREADS = 1000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_there = PTHREAD_COND_INITIALIZER;
static int arrived; /* under lock */

static void *arrive(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    if (++arrived == THREADS) pthread_cond_broadcast(&all_there);
    while (arrived < THREADS) pthread_cond_wait(&all_there, &lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    static pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) assert(pthread_create(&threads[i], NULL, arrive, NULL) == 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert(arrived == THREADS);
    return 0;
}
