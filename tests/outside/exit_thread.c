/* exit in a thread ends the program, while main waits for ever; the handlers run in that thread. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static pthread_t main_thread;
static int flushed;

static void handler(void) {
    if (pthread_equal(pthread_self(), main_thread)) _exit(9);
    flushed = 1;
}

static void *leaver(void *unused) {
    (void)unused;
    exit(0);
}

int main(void) {
    pthread_t thread;
    main_thread = pthread_self();
    atexit(handler);
    pthread_create(&thread, NULL, leaver, NULL);
    for (;;) pause();
}
