/* Reads the result though the thread may still run.
 * races: a-b
 */
#include "subject.h"

static int result;

static void *work(void *unused) {
    result = 1; /* @a */
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    int running = pthread_tryjoin_np(thread, NULL);
    int seen = result; /* @b */
    if (running) pthread_join(thread, NULL);
    return seen > 1;
}
