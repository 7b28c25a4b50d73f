/* Two bit fields side by side are one memory location.
 * races: a-b
 */
#include "subject.h"

static struct { unsigned left : 4, right : 4; } flags;

static void *set_left(void *unused) {
    flags.left = 1; /* @a */
    return unused;
}

static void *set_right(void *unused) {
    flags.right = 1; /* @b */
    return unused;
}

int main(void) {
    run_two(set_left, set_right);
    return 0;
}
