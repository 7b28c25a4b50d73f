/* A lock-free queue (linked list, tail pointer) that links the new node with a plain store instead of a CAS.
 *
 * Bug (assert in main): both producers read the same tail; the second store to tail->next overwrites the first; one
 * node is lost.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { PRODUCERS = 2, EACH = 2 };

struct node {
    _Atomic(struct node *) next;
    int value;
};

static struct queue {
    struct node *head;
    _Atomic(struct node *) tail;
} queue;

static struct node *all[PRODUCERS][EACH]; /* so that lost ones are freed too */

static struct node *node_new(int value) {
    struct node *node = malloc(sizeof *node);
    atomic_init(&node->next, NULL);
    node->value = value;
    return node;
}

static void enqueue(struct queue *q, struct node *node) {
    struct node *tail = atomic_load(&q->tail);
    while (atomic_load(&tail->next)) tail = atomic_load(&tail->next);
    atomic_store(&tail->next, node);
    atomic_store(&q->tail, node);
}

static void *producer(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < EACH; i++) {
        all[me][i] = node_new(me * 10 + i);
        enqueue(&queue, all[me][i]);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[PRODUCERS];
    int ids[PRODUCERS] = {0, 1}, length = 0;
    struct node *dummy = node_new(-1);
    queue.head = dummy;
    atomic_store(&queue.tail, dummy);
    for (int i = 0; i < PRODUCERS; i++) pthread_create(&threads[i], NULL, producer, &ids[i]);
    for (int i = 0; i < PRODUCERS; i++) pthread_join(threads[i], NULL);
    for (struct node *node = atomic_load(&dummy->next); node; node = atomic_load(&node->next)) length++;
    assert(length == PRODUCERS * EACH);
    for (int i = 0; i < PRODUCERS * EACH; i++) free(all[i / EACH][i % EACH]);
    free(dummy);
    puts("complete");
    return 0;
}
