/* A thread ends the process with status 5 when it comes second. Outcome: exit, status 5. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int order;

static void *wants_to_be_first(void *unused) {
    (void)unused;
    if (atomic_fetch_add(&order, 1) != 0) _exit(5);
    return NULL;
}

static void *other(void *unused) {
    (void)unused;
    atomic_fetch_add(&order, 1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, wants_to_be_first, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
