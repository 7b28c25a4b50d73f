/* Allocates until there is no more, and copes. Outcome: malloc fails at --memory-limit; nothing found. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

enum { BLOCK = 64 << 10 };

struct block {
    struct block *next;
};

static void *fill_and_empty(void *unused) {
    (void)unused;
    struct block *blocks = NULL, *block;
    size_t count = 0;
    for (; (block = malloc(BLOCK)); count++) {
        block->next = blocks;
        blocks = block;
    }
    assert(errno == ENOMEM && count > 0);
    while (blocks) {
        block = blocks->next;
        free(blocks);
        blocks = block;
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, fill_and_empty, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
