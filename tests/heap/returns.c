/* What the malloc family returns, in main and in two threads at once: the same under ravel as by hand. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

static volatile size_t huge = (size_t)1 << 60; /* volatile: or the compiler knows the outcome */

static int is_aligned(const void *block, size_t align) { return (uintptr_t)block % align == 0; }

static void sizes(void) {
    char *empty = malloc(0), *other = malloc(0);
    CHECK(empty && other && empty != other);
    free(empty);
    free(other);
    free(NULL);
    for (size_t size = 1; size < 10000; size = size * 3 + 1) {
        unsigned char *block = malloc(size);
        CHECK(block && is_aligned(block, 16) && malloc_usable_size(block) >= size);
        memset(block, (int)size, size);
        unsigned char *zeroed = calloc(size, 3);
        for (size_t i = 0; i < size * 3; i++) CHECK(zeroed[i] == 0);
        for (size_t i = 0; i < size; i++) CHECK(block[i] == (unsigned char)size);
        free(block);
        free(zeroed);
    }
    CHECK(malloc_usable_size(NULL) == 0);
}

/* Enough to come out of the quarantine of freed blocks: used memory is handed out again, and calloc clears it. */
static void reuse(void) {
    enum { SIZE = 9 << 20 };
    for (int round = 0; round < 12; round++) {
        char *block = calloc(1, SIZE);
        for (size_t i = 0; i < SIZE; i += 4096) CHECK(block[i] == 0);
        for (size_t i = 0; i < SIZE; i += 4096) block[i] = 1;
        free(block);
    }
}

static void resizing(void) {
    char *block = realloc(NULL, 10);
    strcpy(block, "unchanged");
    for (size_t size = 11; size < 50000; size *= 2) {
        block = realloc(block, size);
        CHECK(block && strcmp(block, "unchanged") == 0);
    }
    block = realloc(block, 5);
    CHECK(memcmp(block, "uncha", 5) == 0);
    block = reallocarray(block, 30, 7);
    CHECK(memcmp(block, "uncha", 5) == 0 && malloc_usable_size(block) >= 210);
    errno = 0;
    CHECK(!realloc(block, huge) && errno == ENOMEM);
    CHECK(memcmp(block, "uncha", 5) == 0); /* still there */
    errno = 0;
    CHECK(!reallocarray(block, huge, huge) && errno == ENOMEM);
    CHECK(!realloc(block, 0)); /* as glibc: a free */
}

static void no_memory(void) {
    errno = 0;
    CHECK(!malloc(huge) && errno == ENOMEM);
    errno = 0;
    CHECK(!calloc(huge, huge) && errno == ENOMEM);
    errno = 0;
    CHECK(!calloc(huge, 2) && errno == ENOMEM);
    errno = 0;
    CHECK(!malloc(SIZE_MAX - huge + huge) && errno == ENOMEM);
    errno = 0;
    CHECK(!pvalloc(SIZE_MAX - 10 + huge - huge) && errno == ENOMEM);
    errno = EDOM;
    free(malloc(10));
    CHECK(errno == EDOM);
}

static void alignments(void) {
    void *block = &block;
    volatile size_t odd = 24;
    for (size_t align = 8; align <= 1 << 16; align *= 2) {
        CHECK(posix_memalign(&block, align, 100) == 0 && is_aligned(block, align));
        memset(block, 1, 100);
        free(block);
        block = aligned_alloc(align, 2 * align);
        CHECK(block && is_aligned(block, align));
        free(block);
        block = memalign(align, 33);
        CHECK(block && is_aligned(block, align));
        block = realloc(block, 5000); /* keeps the bytes, not the alignment */
        free(block);
    }
    block = NULL;
    CHECK(posix_memalign(&block, odd, 10) == EINVAL && posix_memalign(&block, 4, 10) == EINVAL && !block);
    CHECK(posix_memalign(&block, 0, 10) == EINVAL && posix_memalign(&block, 16, huge) == ENOMEM && !block);
    block = memalign(odd, 10); /* rounded up */
    CHECK(block && is_aligned(block, 32));
    free(block);
    errno = 0;
    CHECK(!memalign(SIZE_MAX - odd, 10) && errno == EINVAL);
    block = valloc(10);
    CHECK(block && is_aligned(block, 4096));
    free(block);
    block = pvalloc(4097);
    CHECK(block && is_aligned(block, 4096) && malloc_usable_size(block) >= 8192);
    free(block);
}

static void information(void) {
    struct mallinfo2 before = mallinfo2();
    char *volatile block = malloc(100000);
    struct mallinfo2 after = mallinfo2();
    CHECK(after.uordblks >= before.uordblks + 100000);
    free(block);
    (void)malloc_trim(0);
    CHECK(mallopt(M_ARENA_MAX, 1) == 1);
}

static void *all(void *argument) {
    sizes();
    resizing();
    no_memory();
    alignments();
    return argument;
}

int main(void) {
    all(NULL);
    information();
    reuse();
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, all, NULL) == 0);
    for (int i = 0; i < 2; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
