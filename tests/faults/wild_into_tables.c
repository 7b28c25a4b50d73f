/* Writes through a wild pointer into the tables that ravel keeps about the heap, when two threads are in
 * one order. Outcome: the failure is found and confirmed; ravel itself survives. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum { SIZE = 64 << 10 };

static atomic_uintptr_t target;
static char buffer[SIZE];

static void scribble(char *at) {
    for (size_t i = 0; i < SIZE; i++) at[i] = (char)(0xa5 + i);
}

static void *writer(void *unused) {
    (void)unused;
    scribble((char *)atomic_load(&target));
    return NULL;
}

int main(void) {
    pthread_t thread;
    atomic_store(&target, (uintptr_t)0x610000000000);
    pthread_create(&thread, NULL, writer, NULL);
    atomic_store(&target, (uintptr_t)buffer);
    pthread_join(thread, NULL);
    return 0;
}
