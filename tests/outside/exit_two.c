/* Two threads call exit at the same time: the handlers run once, and the program ends. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static atomic_int runs, steps;

static void handler(void) {
    if (atomic_fetch_add(&runs, 1)) _exit(9);
    for (int i = 0; i < 3; i++) atomic_fetch_add(&steps, 1);
}

static void *leaver(void *unused) {
    (void)unused;
    exit(0);
}

int main(void) {
    pthread_t threads[2];
    atexit(handler);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, leaver, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 1;
}
