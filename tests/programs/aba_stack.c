/* A Treiber stack over a fixed pool of nodes, without a tag on its head: the ABA problem.
 *
 * Bug (assert in take): thread 1 reads head = A and next = B, and stops; thread 2 pops A, pops B, pushes A back;
 * thread 1's compare-and-swap succeeds and makes B, which thread 2 owns, the head; B is popped twice. Depth: thread 1
 * must stop at one place while thread 2 does three operations, and B must be popped again before it is given back.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { NODES = 3, NONE = -1 };

static struct pool {
    atomic_int head;
    atomic_int next[NODES];
    atomic_int owned[NODES];
} pool;

static void give(struct pool *p, int node) {
    atomic_store(&p->owned[node], 0);
    int head = atomic_load(&p->head);
    do atomic_store(&p->next[node], head);
    while (!atomic_compare_exchange_strong(&p->head, &head, node));
}

static int take(struct pool *p) {
    int head = atomic_load(&p->head);
    while (head != NONE) {
        int next = atomic_load(&p->next[head]);
        if (atomic_compare_exchange_strong(&p->head, &head, next)) {
            int owned = atomic_exchange(&p->owned[head], 1);
            assert(!owned && "a node has one owner");
            return head;
        }
    }
    return NONE;
}

static void *single(void *unused) {
    (void)unused;
    int node = take(&pool), second = take(&pool);
    if (second != NONE) give(&pool, second);
    if (node != NONE) give(&pool, node);
    return NULL;
}

static void *juggler(void *unused) {
    (void)unused;
    int a = take(&pool), b = take(&pool);
    if (a != NONE) give(&pool, a);
    if (b != NONE) give(&pool, b);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    atomic_store(&pool.head, NONE);
    for (int node = 0; node < NODES; node++) give(&pool, node);
    pthread_create(&threads[0], NULL, single, NULL);
    pthread_create(&threads[1], NULL, juggler, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    puts("returned");
    return 0;
}
