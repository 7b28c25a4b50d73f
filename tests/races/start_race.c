/* Initialised after the thread was started.
 * races: a-b
 */
#include "subject.h"

static int configuration;

static void *work(void *unused) {
    int seen = configuration; /* @b */
    (void)seen;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    configuration = 1; /* @a */
    pthread_join(thread, NULL);
    return 0;
}
