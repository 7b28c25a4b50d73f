/* A lock-free stack that defends itself against ABA, almost: a bug that needs many preemptions, each in its place.
 *
 * After the idea of Vyukov's "SafeStack". Nodes are indices into an array; the head is an index without a tag. A
 * popper first takes the link out of the head's node (exchange with TAKEN), so that two poppers cannot hold the same
 * link, then swings the head; `count` keeps the last node from being popped.
 *
 * Bug (assert in use_node): a popper P reads head = x and stops. Another one pops x, so that x.next is TAKEN; x is
 * pushed back, now over another node; a third thread takes the link of x, fails to swing the head since something was
 * pushed in between, and puts the link back, which is stale by then; P takes the stale link and its compare-and-swap
 * on head succeeds since x is the head again. A node is on the stack and in a thread's hands; two threads own it. It
 * takes three threads and at least five preemptions.
 *
 * The original tries again for ever; here an attempt that meets TAKEN, or loses the head, is repeated ATTEMPTS times,
 * and then the round is skipped.
 *
 * Parameters: THREADS (2 to 4; default 3), ROUNDS per thread (default 2).
 */
#include "subject.h"
#include <assert.h>

enum { MAX_THREADS = 4, MAX_ROUNDS = 8, ATTEMPTS = 4, TAKEN = -1 };

static struct stack {
    atomic_int head;
    atomic_int count; /* nodes on the stack */
    struct {
        atomic_int next;
        atomic_int owner;
    } nodes[MAX_THREADS];
} stack;

static int rounds;

static int stack_pop(struct stack *s) {
    for (int attempt = 0; attempt < ATTEMPTS && atomic_load(&s->count) > 1; attempt++) {
        int head = atomic_load(&s->head);
        int next = atomic_exchange(&s->nodes[head].next, TAKEN);
        if (next == TAKEN) continue;
        int expected = head;
        if (atomic_compare_exchange_strong(&s->head, &expected, next)) {
            atomic_fetch_sub(&s->count, 1);
            return head;
        }
        atomic_exchange(&s->nodes[head].next, next);
    }
    return -1;
}

static void stack_push(struct stack *s, int node) {
    int head = atomic_load(&s->head);
    do atomic_store(&s->nodes[node].next, head);
    while (!atomic_compare_exchange_strong(&s->head, &head, node));
    atomic_fetch_add(&s->count, 1);
}

static void use_node(struct stack *s, int node, int me) {
    atomic_store(&s->nodes[node].owner, me);
    assert(atomic_load(&s->nodes[node].owner) == me && "a node has one owner");
}

static void *user(void *arg) {
    int me = *(const int *)arg;
    for (int round = 0; round < rounds; round++) {
        int node = stack_pop(&stack);
        if (node < 0) continue;
        use_node(&stack, node, me);
        stack_push(&stack, node);
    }
    return NULL;
}

int main(int argc, char **argv) {
    static int numbers[MAX_THREADS];
    int threads = size_argument(argc, argv, 1, 3, 2, MAX_THREADS);
    rounds = size_argument(argc, argv, 2, 2, 1, MAX_ROUNDS);
    pthread_t users[MAX_THREADS];
    atomic_store(&stack.count, threads);
    for (int i = 0; i < threads; i++) atomic_store(&stack.nodes[i].next, i + 1 < threads ? i + 1 : TAKEN);
    for (int i = 0; i < threads; i++) {
        numbers[i] = i + 1;
        pthread_create(&users[i], NULL, user, &numbers[i]);
    }
    for (int i = 0; i < threads; i++) pthread_join(users[i], NULL);
    puts("used");
    return 0;
}
