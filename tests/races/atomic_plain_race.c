/* Atomic on one side, plain on the other.
 * races: a-b
 */
#include <stdatomic.h>

#include "subject.h"

static atomic_int counter;

static void *add(void *unused) {
    atomic_fetch_add(&counter, 1); /* @a */
    return unused;
}

static void *peek(void *unused) {
    int seen = *(int *)&counter; /* @b */
    (void)seen;
    return unused;
}

int main(void) {
    run_two(add, peek);
    return 0;
}
