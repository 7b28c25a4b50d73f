#include "stack.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

/* Treiber's stack. Who reads a node that it has found at the top is counted in `readers` before it looks there, so a node that was
 * taken off may be freed by whoever finds itself the only reader afterwards: later ones cannot find the node any more. Until
 * then nodes are kept, so that no node comes back at the same address while somebody compares with it. */
struct node {
    struct node
        *next; /* below; does not change once the node was on the stack, for who reads it may be late */
    struct node *next_retired;
    int item;
};

struct stack {
    _Atomic(struct node *) top;
    atomic_int readers;
    _Atomic(struct node *) retired; /* linked by next_retired: taken off, and perhaps still read */
};

stack *stack_new(void) { return calloc(1, sizeof(stack)); }

static void free_retired(struct node *node) {
    while (node) {
        struct node *next = node->next_retired;
        free(node);
        node = next;
    }
}

void stack_free(stack *items) {
    int unused;
    if (!items) return;
    while (stack_pop(items, &unused)) continue;
    free_retired(items->retired);
    free(items);
}

static struct node *new_node(int item) {
    struct node *node = malloc(sizeof *node);
    if (node) *node = (struct node){.item = item};
    return node;
}

bool stack_push(stack *items, int item) {
    struct node *node = new_node(item);
    if (!node) return false;
    node->next = items->top;
    while (!atomic_compare_exchange_weak(&items->top, &node->next, node)) continue;
    return true;
}

bool stack_push_first(stack *items, int item) {
    struct node *none = NULL, *node = new_node(item);
    if (!node) return false;
    bool done = atomic_compare_exchange_strong(&items->top, &none, node);
    if (!done) free(node); /* nobody has seen it */
    return done;
}

/* Puts the nodes from first to last among the retired ones. */
static void retire(stack *items, struct node *first, struct node *last) {
    last->next_retired = items->retired;
    while (!atomic_compare_exchange_weak(&items->retired, &last->next_retired, first)) continue;
}

/* The end of reading. `node`: what the caller has taken off, or NULL. */
static void leave(stack *items, struct node *node) {
    if (items->readers > 1) {
        if (node) retire(items, node, node);
        items->readers--;
        return;
    }
    /* Nobody else reads, so nobody has what is retired by now: it was taken off before. But somebody may come, and retire
     * what others read, before we have taken the list. If we are still alone afterwards, nobody reads any of it. */
    struct node *list = atomic_exchange(&items->retired, NULL);
    if (--items->readers == 0) {
        free_retired(list);
    } else if (list) {
        struct node *last = list;
        while (last->next_retired) last = last->next_retired;
        retire(items, list, last);
    }
    free(node);
}

bool stack_pop(stack *items, int *item) {
    items->readers++;
    struct node *node = items->top;
    while (node && !atomic_compare_exchange_weak(&items->top, &node, node->next)) continue;
    if (node) *item = node->item;
    bool some = node != NULL;
    leave(items, node);
    return some;
}

bool stack_top(stack *items, int *item) {
    items->readers++;
    const struct node *node = items->top;
    if (node) *item = node->item;
    leave(items, NULL);
    return node != NULL;
}

bool stack_is_empty(stack *items) { return items->top == NULL; }
