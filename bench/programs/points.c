/* points N: two threads that each pass N atomic operations, all of them scheduling points. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static long rounds;
static atomic_long shared[2];

static void *work(void *argument) {
    atomic_long *mine = argument;
    for (long i = 0; i < rounds; i++) atomic_fetch_add(mine, 1);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[2];
    rounds = argc > 1 ? atol(argv[1]) : 1000;
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, &shared[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return shared[0] == rounds && shared[1] == rounds ? 0 : 1;
}
