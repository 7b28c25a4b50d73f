/* A thread waits for a flag unless it has been told not to. Nobody ever sets the flag.
 *
 * Bug (hang, in await): if the thread looks before it is told, it spins for ever. An exhaustive search up to equivalence must find
 * it although it holds spinning threads back after a few rounds.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag, told;

static void *await(void *unused) {
    (void)unused;
    if (atomic_load(&told)) return NULL;
    while (!atomic_load(&flag)) {}
    return NULL;
}

static void *tell(void *unused) {
    (void)unused;
    atomic_store(&told, 1);
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&two, NULL, tell, NULL);
    pthread_create(&one, NULL, await, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
