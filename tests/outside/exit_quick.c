/* quick_exit runs its own handlers only; _exit none at all. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static void wrong(void) { _exit(9); }
static void quick(void) { _exit(0); }

static void *leaver(void *unused) {
    (void)unused;
    quick_exit(8);
}

int main(void) {
    pthread_t thread;
    atexit(wrong);
    at_quick_exit(quick);
    pthread_create(&thread, NULL, leaver, NULL);
    pthread_join(thread, NULL);
    return 1;
}
