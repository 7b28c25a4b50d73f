/* volatile orders nothing: the flag races, and what it should protect.
 * races: a-c b-d
 */
#include "subject.h"

static volatile int ready;
static int message;

static void *sender(void *unused) {
    message = 1; /* @a */
    ready = 1;   /* @b */
    return unused;
}

static void *receiver(void *unused) {
    int got = 0;
    int there = ready;        /* @d */
    if (there) got = message; /* @c */
    (void)got;
    return unused;
}

int main(void) {
    run_two(sender, receiver);
    return 0;
}
