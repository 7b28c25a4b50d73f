/* Different fields of a structure, also when one of them is copied as a whole.
 * races: none
 */
#include "subject.h"

struct pair {
    int x, y;
};
static struct { struct pair first, second; } shared;

static void *copy(void *unused) {
    struct pair mine = shared.first;
    (void)mine;
    return unused;
}

static void *move(void *unused) {
    shared.second.x = 1;
    return unused;
}

int main(void) {
    run_two(copy, move);
    return 0;
}
