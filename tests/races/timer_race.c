/* sleep() orders nothing.
 * races: a-b
 */
#include <unistd.h>

#include "subject.h"

static int value;

static void *early(void *unused) {
    value = 1; /* @a */
    return unused;
}

static void *late(void *unused) {
    usleep(1000);
    int seen = value; /* @b */
    (void)seen;
    return unused;
}

int main(void) {
    run_two(early, late);
    return 0;
}
