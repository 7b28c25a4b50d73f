/* Made at the first use, with no lock: both may make it.
 * races: a-c c-c b-b b-d
 */
#include "subject.h"

static int made, value;

static void *use(void *unused) {
    int there = made; /* @a */
    if (!there) {
        value = 5; /* @b */
        made = 1;  /* @c */
    }
    int copy = value; /* @d */
    (void)copy;
    return unused;
}

int main(void) {
    run_two(use, use);
    return 0;
}
