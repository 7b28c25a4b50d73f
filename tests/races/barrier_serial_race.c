/* The second barrier is missing: who is not the serial thread reads too early.
 * races: a-b
 */
#include "subject.h"

static pthread_barrier_t phase;
static int total;

static void *work(void *unused) {
    if (pthread_barrier_wait(&phase) == PTHREAD_BARRIER_SERIAL_THREAD) total = 1; /* @a */
    int seen = total;                                                             /* @b */
    (void)seen;
    return unused;
}

int main(void) {
    pthread_barrier_init(&phase, NULL, 2);
    run_two(work, work);
    return 0;
}
