/* The thread that finishes first ends the whole process, at once, by _exit. Outcome: nothing found. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int finished;

static void *work(void *unused) {
    (void)unused;
    if (atomic_fetch_add(&finished, 1) == 0) _exit(0);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 1; /* cannot be: the first one has ended us */
}
