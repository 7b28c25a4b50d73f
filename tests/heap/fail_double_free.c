/* Both threads may see that no reference is left. expect: double-free of a block that was freed before */
#include <pthread.h>

#include "check.h"

static char *block;
static volatile int references = 2;

static void *drop(void *argument) {
    references--;
    if (references == 0) free(block);
    return argument;
}

int main(void) {
    block = malloc(10);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, drop, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
