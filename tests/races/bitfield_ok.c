/* A bit field of no width separates memory locations.
 * races: none
 */
#include "subject.h"

static struct {
    unsigned left : 4;
    unsigned : 0;
    unsigned right : 4;
} flags;

static void *set_left(void *unused) {
    flags.left = 1;
    return unused;
}

static void *set_right(void *unused) {
    flags.right = 1;
    return unused;
}

int main(void) {
    run_two(set_left, set_right);
    return 0;
}
