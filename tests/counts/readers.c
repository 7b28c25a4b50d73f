/* One writer of x and n readers of x, as in "Optimal Dynamic Partial Order Reduction" (POPL 2014): each reader comes before the
 * write or after it, 2^n traces.
 * counts: 1 = 2
 * counts: 2 = 4
 * counts: 3 = 8
 * counts: 8 = 256 only
 * counts: 13 = 8192 only
 */
#include "count.h"

static atomic_int x;

static void *body(void *number) {
    if (number) return (void *)(intptr_t)atomic_load(&x);
    atomic_store(&x, 1);
    return NULL;
}

int main(int argc, char **argv) {
    intptr_t seen[MOST];
    int n = argument(argc, argv, 1, 2);
    together(n + 1, body, seen);
    tell(seen, n + 1);
}
