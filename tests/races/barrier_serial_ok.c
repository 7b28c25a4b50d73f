/* The serial thread works between two barriers.
 * races: none
 */
#include "subject.h"

static pthread_barrier_t phase;
static int total;

static void *work(void *unused) {
    if (pthread_barrier_wait(&phase) == PTHREAD_BARRIER_SERIAL_THREAD) total = 1;
    pthread_barrier_wait(&phase);
    int seen = total;
    (void)seen;
    return unused;
}

int main(void) {
    pthread_barrier_init(&phase, NULL, 2);
    run_two(work, work);
    return total != 1;
}
