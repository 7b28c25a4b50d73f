/* n philosophers eat once; each takes the fork with the lower number first. A trace is an order for each fork, of its two users:
 * 2^n, without the circular ones of which the lower-first rule leaves none but those that no
 * execution can have (each before its neighbour all around): 2^n - 2.
 * counts: 2 = 2
 * counts: 3 = 6
 * counts: 4 = 14
 * counts: 5 = 30
 */
#include "count.h"

static pthread_mutex_t forks[MOST];
static int n;

static void *body(void *number) {
    int left = (int)(intptr_t)number, right = (left + 1) % n;
    pthread_mutex_t *first = &forks[left < right ? left : right],
                    *second = &forks[left < right ? right : left];
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return NULL;
}

int main(int argc, char **argv) {
    intptr_t seen[MOST];
    n = argument(argc, argv, 1, 2);
    together(n, body, seen);
    tell(seen, n);
}
