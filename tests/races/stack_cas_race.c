/* The same with a relaxed compare-and-swap.
 * races: a-c b-d
 */
#include <stdatomic.h>

#include "subject.h"

struct node {
    int value;
    struct node *next;
};
static struct node nodes[2];
static _Atomic(struct node *) top;

static void push(struct node *node) {
    struct node *head = atomic_load_explicit(&top, memory_order_relaxed);
    node->value = 1;      /* @a */
    do node->next = head; /* @b */
    while (!atomic_compare_exchange_weak_explicit(&top, &head, node, memory_order_relaxed,
                                                  memory_order_relaxed));
}

static void *push_first(void *unused) {
    push(&nodes[0]);
    return unused;
}

static void *push_second(void *unused) {
    push(&nodes[1]);
    return unused;
}

static void *take(void *unused) {
    int sum = 0;
    struct node *node = atomic_exchange_explicit(&top, NULL, memory_order_acquire);
    while (node) {
        sum += node->value; /* @c */
        node = node->next;  /* @d */
    }
    (void)sum;
    return unused;
}

int main(void) {
    run_three(push_first, push_second, take);
    return 0;
}
