/* Allocates without bound and without looking at the result. Outcome: segv in remember, when malloc fails at
 * --memory-limit; the machine does not suffer. */
#include <pthread.h>
#include <stdlib.h>

enum { BLOCK = 64 << 10, MANY = 1 << 30 };

struct block {
    struct block *next;
};

static struct block *remember(struct block *blocks) {
    struct block *block = malloc(BLOCK);
    block->next = blocks;
    return block;
}

static void *grow(void *unused) {
    (void)unused;
    struct block *blocks = NULL;
    for (size_t i = 0; i < MANY; i++) blocks = remember(blocks);
    return blocks;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, grow, NULL);
    pthread_join(thread, NULL);
    return 0;
}
