/* Concurrency Kit's lock-free stack, pushed and popped from three threads: each entry is popped once. */
#include <assert.h>
#include <ck_stack.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Entries are pushed once, so that popping needs no counter against reuse; where there is one, use it. */
#ifdef CK_F_STACK_POP_MPMC
#define pop  ck_stack_pop_mpmc
#define push ck_stack_push_mpmc
#else
#define pop  ck_stack_pop_upmc
#define push ck_stack_push_upmc
#endif

enum { THREADS = 3, EACH = 3 };

struct item {
    ck_stack_entry_t entry;
    int popped;
};
CK_STACK_CONTAINER(struct item, entry, item_of)

static ck_stack_t stack = CK_STACK_INITIALIZER;
static struct item items[THREADS][EACH];

static void *work(void *argument) {
    struct item *mine = argument;
    for (int i = 0; i < EACH; i++) push(&stack, &mine[i].entry);
    for (int i = 0; i < EACH; i++) {
        ck_stack_entry_t *entry = pop(&stack);
        assert(entry);
        assert(__atomic_fetch_add(&item_of(entry)->popped, 1, __ATOMIC_SEQ_CST) == 0);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, items[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert(CK_STACK_ISEMPTY(&stack));
    for (int i = 0; i < THREADS * EACH; i++) assert((&items[0][0])[i].popped == 1);
    puts("ok");
    return 0;
}
