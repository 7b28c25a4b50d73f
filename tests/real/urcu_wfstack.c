/* liburcu's wait-free stack: threads push, and pop under its mutex; one takes all the rest at once. */
#define _LGPL_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <urcu/compiler.h>
#include <urcu/wfstack.h>

enum { THREADS = 2, EACH = 3 };

struct item {
    int seen;
    struct cds_wfs_node node;
};

static struct cds_wfs_stack stack;
static struct item items[THREADS][EACH];
static int popped;

static void *work(void *argument) {
    struct item *mine = argument;
    for (int i = 0; i < EACH; i++) {
        cds_wfs_node_init(&mine[i].node);
        cds_wfs_push(&stack, &mine[i].node);
    }
    struct cds_wfs_node *node = cds_wfs_pop_blocking(&stack);
    assert(node && node != CDS_WFS_WOULDBLOCK);
    __atomic_fetch_add(&caa_container_of(node, struct item, node)->seen, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&popped, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    cds_wfs_init(&stack);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, items[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    struct cds_wfs_head *rest = cds_wfs_pop_all_blocking(&stack);
    struct cds_wfs_node *node;
    cds_wfs_for_each_blocking(rest, node) {
        caa_container_of(node, struct item, node)->seen++;
        popped++;
    }
    assert(popped == THREADS * EACH);
    for (int i = 0; i < THREADS * EACH; i++) assert((&items[0][0])[i].seen == 1);
    assert(cds_wfs_empty(&stack));
    cds_wfs_destroy(&stack);
    puts("ok");
    return 0;
}
