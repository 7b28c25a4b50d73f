/* The malloc family: alignment, sizes, zeroes, growing, errors; strings and big blocks. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *churn(void *argument) {
    char *blocks[64] = {0};
    unsigned seed = (unsigned)(uintptr_t)argument, wrong = 0;
    for (int i = 0; i < 20000; i++) {
        seed = seed * 1103515245u + 12345u;
        unsigned slot = seed >> 16 & 63, size = seed >> 8 & 1023;
        if (blocks[slot]) {
            wrong += blocks[slot][0] != (char)slot;
            free(blocks[slot]);
            blocks[slot] = NULL;
        } else {
            blocks[slot] = malloc(size + 1);
            memset(blocks[slot], (int)slot, size + 1);
        }
    }
    for (int i = 0; i < 64; i++)
        free(blocks[i]);
    return (void *)(uintptr_t)wrong;
}

int main(void) {
    void *block = NULL;
    printf("memalign %d\n", posix_memalign(&block, 4096, 100) == 0 && (uintptr_t)block % 4096 == 0);
    free(block);
    printf("bad alignment: %s\n", strerror(posix_memalign(&block, 3, 100)));
    block = aligned_alloc(256, 512);
    printf("aligned %d, usable %d\n", (uintptr_t)block % 256 == 0, malloc_usable_size(block) >= 512);
    free(block);
    char *zero = calloc(1000, 3);
    int all = 0;
    for (int i = 0; i < 3000; i++)
        all |= zero[i];
    printf("calloc %d\n", all);
    strcpy(zero, "kept");
    zero = realloc(zero, 1 << 20);
    printf("realloc %s\n", zero);
    zero = realloc(zero, 5);
    printf("shrunk %s\n", zero);
    free(zero);
    errno = 0;
    volatile size_t huge = SIZE_MAX / 2;
    void *volatile none = malloc(huge); /* volatile: else a compiler may do without the call */
    printf("too much: %d %s\n", none == NULL, strerror(errno));
    none = reallocarray(NULL, huge, 4);
    printf("overflow: %d\n", none == NULL);
    none = calloc(huge, 4);
    printf("overflow: %d\n", none == NULL);
    free(NULL);
    char *text = NULL;
    printf("asprintf %d", asprintf(&text, "%d-%s", 12, "x"));
    printf(" %s\n", text);
    char *copy = strdup(text);
    printf("strdup %s\n", copy);
    free(copy), free(text);
    pthread_t threads[3];
    for (uintptr_t i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, churn, (void *)(i + 1));
    uintptr_t wrong = 0;
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        wrong += (uintptr_t)result;
    }
    printf("wrong %d\n", (int)wrong);
    return 0;
}
