/* A whole structure is copied while one of its fields is written.
 * races: a-b
 */
#include "subject.h"

struct point {
    int x, y, z, w;
};
static struct point shared, mine;

static void *copy(void *unused) {
    mine = shared; /* @a */
    return unused;
}

static void *move(void *unused) {
    shared.w = 1; /* @b */
    return unused;
}

int main(void) {
    run_two(copy, move);
    return 0;
}
