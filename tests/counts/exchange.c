/* n threads that each try once to exchange 0 for their number. A failed attempt is a read: the one that succeeds comes first, the
 * others are unordered among each other: n traces.
 * counts: 2 = 2
 * counts: 3 = 3
 * counts: 4 = 4
 * counts: 9 = 9 only
 */
#include "count.h"

static atomic_int owner;

static void *body(void *number) {
    int expected = 0;
    return (void *)(intptr_t)atomic_compare_exchange_strong(&owner, &expected, 1 + (int)(intptr_t)number);
}

int main(int argc, char **argv) {
    intptr_t seen[MOST];
    int n = argument(argc, argv, 1, 2);
    together(n, body, seen);
    tell(seen, n);
}
