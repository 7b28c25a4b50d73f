/* Ways to end, in order: handlers of exit run last registered first, before destructors; standard output is flushed
 * behind them. By return from main. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static int order;

static void last(void) {
    if (order != 2) _exit(10);
    order = 3;
}
static void first(void) {
    if (order != 1) _exit(11);
    order = 2;
    exit(0); /* again, from a handler: the others still run */
}
__attribute__((destructor)) static void destroyed(void) {
    if (order != 3) _exit(12);
}

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    atexit(last);
    atexit(first);
    pthread_create(&thread, NULL, idle, NULL);
    pthread_join(thread, NULL);
    order = 1;
    return 0;
}
