/* A lock-free registration list; two threads may register the same node, which makes the list a cycle.
 *
 * Bug (segv, stack overflow by endless recursion, in list_length): both threads see the node unregistered; the second
 * push links the node to itself; the recursive walk never ends.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

struct node {
    struct node *next;
    atomic_bool registered;
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;
static struct node shared_node, other_node;

static void list_push(struct node *node) {
    pthread_mutex_lock(&list_lock);
    node->next = head;
    head = node;
    pthread_mutex_unlock(&list_lock);
}

static void register_once(struct node *node) {
    if (atomic_load(&node->registered)) return;
    list_push(node);
    atomic_store(&node->registered, 1);
}

__attribute__((noinline)) static int list_length(const struct node *node, char *depth) {
    char here[256];
    here[0] = *depth;
    if (!node) return 0;
    int rest = list_length(node->next, here);
    return rest + 1 + (here[0] - *depth);
}

static void *module_start(void *unused) {
    (void)unused;
    register_once(&shared_node);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    char depth = 0;
    register_once(&other_node);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, module_start, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%d registered\n", list_length(head, &depth));
    return 0;
}
