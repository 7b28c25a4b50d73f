/* The ranges of two threads overlap in one element.
 * races: a-b
 */
#include "subject.h"

static int cells[3];

static void *lower(void *unused) {
    for (int i = 0; i < 2; i++) cells[i] = 1; /* @a */
    return unused;
}

static void *upper(void *unused) {
    for (int i = 1; i < 3; i++) cells[i] = 2; /* @b */
    return unused;
}

int main(void) {
    run_two(lower, upper);
    return 0;
}
