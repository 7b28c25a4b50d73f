/* n threads, each with an atomic variable of its own: one trace.
 * counts: 1 = 1
 * counts: 4 = 1
 * counts: 8 = 1
 */
#include "count.h"

static struct {
    atomic_int value;
    char rest[60];
} own[MOST];

static void *body(void *number) {
    atomic_int *mine = &own[(intptr_t)number].value;
    atomic_fetch_add(mine, 1);
    return (void *)(intptr_t)atomic_fetch_add(mine, 1);
}

int main(int argc, char **argv) {
    intptr_t seen[MOST];
    int n = argument(argc, argv, 1, 2);
    together(n, body, seen);
    tell(seen, n);
}
