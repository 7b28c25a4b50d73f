/* Two members of a union are the same bytes.
 * races: a-b
 */
#include "subject.h"

static union {
    int number;
    float fraction;
} cell;

static void *set_number(void *unused) {
    cell.number = 1; /* @a */
    return unused;
}

static void *set_fraction(void *unused) {
    cell.fraction = 1; /* @b */
    return unused;
}

int main(void) {
    run_two(set_number, set_fraction);
    return 0;
}
