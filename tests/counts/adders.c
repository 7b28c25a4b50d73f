/* n threads that each add to one atomic variable: n! orders.
 * counts: 2 = 2
 * counts: 3 = 6
 * counts: 4 = 24
 * counts: 6 = 720 only
 */
#include "count.h"

static atomic_int sum;

static void *body(void *number) {
    (void)number;
    return (void *)(intptr_t)atomic_fetch_add(&sum, 1);
}

int main(int argc, char **argv) {
    intptr_t seen[MOST];
    int n = argument(argc, argv, 1, 2);
    together(n, body, seen);
    tell(seen, n);
}
