/* liburcu's lock-free stack, nodes from the heap: popped under its mutex, so that none comes back too early. */
#define _LGPL_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <urcu/compiler.h>
#include <urcu/lfstack.h>

enum { THREADS = 3, EACH = 2 };

struct item {
    int value;
    struct cds_lfs_node node;
};

static struct cds_lfs_stack stack;
static int sum;

static void *work(void *argument) {
    for (int i = 0; i < EACH; i++) {
        struct item *item = malloc(sizeof *item);
        item->value = *(int *)argument;
        cds_lfs_node_init(&item->node);
        cds_lfs_push(&stack, &item->node);
    }
    for (int i = 0; i < EACH; i++) {
        struct cds_lfs_node *node = cds_lfs_pop_blocking(&stack);
        assert(node);
        struct item *item = caa_container_of(node, struct item, node);
        __atomic_fetch_add(&sum, item->value, __ATOMIC_SEQ_CST);
        free(item);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    static int values[THREADS] = {1, 10, 100};
    cds_lfs_init(&stack);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, &values[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert(cds_lfs_empty(&stack));
    assert(sum == EACH * 111);
    cds_lfs_destroy(&stack);
    puts("ok");
    return 0;
}
