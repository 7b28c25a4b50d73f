/* n threads that count under one mutex: n! orders.
 * counts: 2 = 2
 * counts: 3 = 6
 * counts: 4 = 24
 * counts: 6 = 720 only
 */
#include "count.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int sum;

static void *body(void *number) {
    (void)number;
    pthread_mutex_lock(&lock);
    intptr_t seen = atomic_fetch_add(&sum, 1);
    pthread_mutex_unlock(&lock);
    return (void *)seen;
}

int main(int argc, char **argv) {
    intptr_t seen[MOST];
    int n = argument(argc, argv, 1, 2);
    together(n, body, seen);
    tell(seen, n);
}
