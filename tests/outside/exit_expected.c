/* options: --expect-exit=7
 * by hand: 7
 * quick_exit by its status, from a thread, when no handler ends it before. */
#include <pthread.h>
#include <stdlib.h>

static void *leaver(void *unused) {
    (void)unused;
    quick_exit(7);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, leaver, NULL);
    pthread_join(thread, NULL);
    return 1;
}
