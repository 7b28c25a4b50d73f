/* Each writes its half, and reads the other half in the next phase.
 * races: none
 */
#include "subject.h"

static pthread_barrier_t phase;
static int left, right;

static void *make_left(void *unused) {
    left = 1;
    pthread_barrier_wait(&phase);
    int other = right;
    (void)other;
    return unused;
}

static void *make_right(void *unused) {
    right = 1;
    pthread_barrier_wait(&phase);
    int other = left;
    (void)other;
    return unused;
}

int main(void) {
    pthread_barrier_init(&phase, NULL, 2);
    run_two(make_left, make_right);
    return 0;
}
