/* last-zero of "Optimal Dynamic Partial Order Reduction" (POPL 2014): thread 0 looks for the last zero of an array, threads 1 .. n
 * do array[j] = array[j - 1] + 1. (n + 3) 2^(n-2) traces; the paper has 3328 for n = 10.
 * counts: 1 = 2
 * counts: 2 = 5
 * counts: 3 = 12
 * counts: 4 = 28
 * counts: 5 = 64
 * counts: 10 = 3328 only
 */
#include "count.h"

static atomic_int array[MOST];
static int n;

static void *body(void *number) {
    intptr_t j = (intptr_t)number;
    if (j == 0) {
        intptr_t i = n;
        while (i > 0 && atomic_load(&array[i]) != 0) i--;
        return (void *)i;
    }
    atomic_store(&array[j], atomic_load(&array[j - 1]) + 1);
    return NULL;
}

int main(int argc, char **argv) {
    intptr_t seen[MOST];
    n = argument(argc, argv, 1, 2);
    together(n + 1, body, seen);
    for (int j = 1; j <= n; j++) seen[j] = atomic_load(&array[j]);
    tell(seen, n + 1);
}
