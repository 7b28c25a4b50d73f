/* One wait for two posts: only one of the messages is there for sure.
 * races: a-c b-d
 */
#include <semaphore.h>

#include "subject.h"

static sem_t done;
static int left, right;

static void *set_left(void *unused) {
    left = 1; /* @a */
    sem_post(&done);
    return unused;
}

static void *set_right(void *unused) {
    right = 1; /* @b */
    sem_post(&done);
    return unused;
}

static void *sum(void *unused) {
    sem_wait(&done);
    int total = left; /* @c */
    total += right;   /* @d */
    (void)total;
    return unused;
}

int main(void) {
    sem_init(&done, 0, 0);
    run_three(set_left, set_right, sum);
    return 0;
}
