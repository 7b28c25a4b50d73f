/* liburcu's wait-free concurrent queue: two producers, a consumer that dequeues and frees. */
#define _LGPL_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <urcu/compiler.h>
#include <urcu/wfcqueue.h>

enum { PRODUCERS = 2, EACH = 3 };

struct item {
    int producer, number;
    struct cds_wfcq_node node;
};

static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;

static void *produce(void *argument) {
    for (int i = 0; i < EACH; i++) {
        struct item *item = malloc(sizeof *item);
        item->producer = *(int *)argument;
        item->number = i;
        cds_wfcq_node_init(&item->node);
        cds_wfcq_enqueue(&head, &tail, &item->node);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[PRODUCERS];
    int names[PRODUCERS], next[PRODUCERS] = {0};
    cds_wfcq_init(&head, &tail);
    for (int i = 0; i < PRODUCERS; i++) {
        names[i] = i;
        pthread_create(&threads[i], NULL, produce, &names[i]);
    }
    for (int taken = 0; taken < PRODUCERS * EACH;) {
        struct cds_wfcq_node *node = cds_wfcq_dequeue_blocking(&head, &tail);
        if (!node) {
            sched_yield();
            continue;
        }
        struct item *item = caa_container_of(node, struct item, node);
        assert(item->number == next[item->producer]++); /* each producer's in order */
        free(item);
        taken++;
    }
    for (int i = 0; i < PRODUCERS; i++) pthread_join(threads[i], NULL);
    assert(cds_wfcq_empty(&head, &tail));
    cds_wfcq_destroy(&head, &tail);
    puts("ok");
    return 0;
}
