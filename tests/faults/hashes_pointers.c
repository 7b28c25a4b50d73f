/* Puts objects into buckets by their addresses (code, data, stack, heap): the order of what follows depends on where
 * things lie. Outcome: no failure; where addresses change from process to process, the nondeterminism is named. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { BUCKETS = 8 };

static atomic_int buckets[BUCKETS];

static unsigned hash(const void *pointer) {
    uint64_t mixed = (uint64_t)(uintptr_t)pointer * UINT64_C(0x9e3779b97f4a7c15);
    return (unsigned)(mixed >> 61);
}

static void *put_all(void *block) {
    int local;
    const void *objects[] = {buckets, block, &local, (const void *)(uintptr_t)hash,
                             (const void *)(uintptr_t)malloc};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        atomic_fetch_add(&buckets[hash(objects[i])], 1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    void *blocks[2] = {malloc(10), malloc(20)};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, put_all, blocks[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++) free(blocks[i]);
    return 0;
}
