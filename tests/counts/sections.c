/* Two threads with m and n sections under one mutex: (m + n)! / (m! n!) orders.
 * counts: 1,1 = 2
 * counts: 2,2 = 6
 * counts: 2,3 = 10
 * counts: 4,4 = 70
 * counts: 5,5 = 252
 */
#include "count.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sections[2];

static void *body(void *number) {
    for (int i = 0; i < sections[(intptr_t)number]; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv) {
    intptr_t seen[MOST];
    sections[0] = argument(argc, argv, 1, 1);
    sections[1] = argument(argc, argv, 2, 1);
    together(2, body, seen);
    tell(seen, 2);
}
