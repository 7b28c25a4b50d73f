/* A document tree: one thread adds nodes, another lays them out.
 *
 * Original: Mozilla; the paper names the kernel and its kind (order violation) only. Reconstructed as the usual form of
 * it: an object is reachable before its state has been set.
 *
 * Bug (segv in layout; order): the parser links a node into the tree and is preempted before it sets the node's state;
 * the layout thread finds the node and follows a state that is still NULL.
 *
 * Parameters: NODES (1 to 8; default 2), ROUNDS of unrelated work (default 2).
 */
#include "subject.h"
#include <assert.h>

enum { MAX_NODES = 8, MAX_ROUNDS = 20 };

struct state {
    int height;
};

struct node {
    const struct state *_Atomic state;
    struct node *next;
};

static struct {
    pthread_mutex_t lock;
    struct node *first; /* under lock */
    struct node pool[MAX_NODES];
} tree = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const struct state loaded = {.height = 10};
static int nodes, rounds, height;

static void tree_insert(struct node *node) {
    pthread_mutex_lock(&tree.lock);
    node->next = tree.first;
    tree.first = node;
    pthread_mutex_unlock(&tree.lock);
}

static void *parse(void *unused) {
    (void)unused;
    for (int i = 0; i < nodes; i++) {
        struct node *node = &tree.pool[i];
        unrelated_work(1, rounds);
        tree_insert(node);
        atomic_store(&node->state, &loaded); /* belongs before the insertion */
    }
    return NULL;
}

static void *layout(void *unused) {
    (void)unused;
    slow_outside();
    unrelated_work(2, rounds);
    pthread_mutex_lock(&tree.lock);
    for (struct node *node = tree.first; node; node = node->next) height += atomic_load(&node->state)->height;
    pthread_mutex_unlock(&tree.lock);
    unrelated_work(2, rounds);
    return NULL;
}

int main(int argc, char **argv) {
    nodes = size_argument(argc, argv, 1, 2, 1, MAX_NODES);
    rounds = size_argument(argc, argv, 2, 2, 0, MAX_ROUNDS);
    pthread_t parser, layouter;
    pthread_create(&parser, NULL, parse, NULL);
    pthread_create(&layouter, NULL, layout, NULL);
    pthread_join(parser, NULL);
    pthread_join(layouter, NULL);
    assert(height <= nodes * loaded.height);
    puts("laid out");
    return 0;
}
