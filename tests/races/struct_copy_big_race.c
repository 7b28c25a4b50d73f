/* The same with one so big that the compiler calls memcpy.
 * races: a-b
 */
#include "subject.h"

struct record {
    int numbers[100];
};
static struct record shared, mine;

static void *copy(void *unused) {
    mine = shared; /* @a */
    return unused;
}

static void *move(void *unused) {
    shared.numbers[99] = 1; /* @b */
    return unused;
}

int main(void) {
    run_two(copy, move);
    return 0;
}
