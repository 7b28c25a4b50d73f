/* Writes through a stale pointer far behind the last block of the heap, where nothing has been allocated, when two
 * threads are in one order. Outcome: heap-overflow in scribble. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { FAR = 16 << 20 };

static _Atomic(char *) target;
static char buffer[8];

static void scribble(char *at) {
    for (size_t i = 0; i < sizeof buffer; i++) at[i] = (char)i;
}

static void *writer(void *unused) {
    (void)unused;
    scribble(atomic_load(&target));
    return NULL;
}

int main(void) {
    pthread_t thread;
    char *block = malloc(16);
    atomic_store(&target, (char *)((uintptr_t)block + FAR));
    pthread_create(&thread, NULL, writer, NULL);
    atomic_store(&target, buffer);
    pthread_join(thread, NULL);
    free(block);
    return 0;
}
