/* What an execution does to its mappings is undone: memory that was there before is whole in the next one, though
 * this one unmaps, moves, protects and empties it. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "ravel.h"

enum { PAGE = 4096, PAGES = 4, SIZE = PAGES * PAGE };
enum { UNMAPPED, MOVED, PROTECTED, EMPTIED, SHARED, OLD };
static unsigned char *old[OLD];
static void *break_before;

static unsigned char *map(size_t size, int flags) {
    unsigned char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}

static void check_filled(const unsigned char *memory, size_t size, int value) {
    for (size_t i = 0; i < size; i += 64) CHECK(memory[i] == value);
}

static void *change(void *unused) {
    (void)unused;
    for (int i = 0; i < OLD; i++) check_filled(old[i], SIZE, 10 + i);
    if (ravel_active()) CHECK(sbrk(0) == break_before); /* else malloc uses it, too */
    memset(sbrk(PAGE), 1, PAGE);

    old[UNMAPPED][PAGE] = 99;
    CHECK(munmap(old[UNMAPPED] + PAGE, 2 * PAGE) == 0);
    CHECK(old[UNMAPPED][0] == 10 && old[UNMAPPED][3 * PAGE] == 10);
    old[UNMAPPED][3 * PAGE] = 98;

    unsigned char *moved = mremap(old[MOVED], SIZE, 16 * SIZE, MREMAP_MAYMOVE);
    CHECK(moved != MAP_FAILED);
    check_filled(moved, SIZE, 11);
    CHECK(moved[16 * SIZE - 1] == 0);
    moved = mremap(moved, 16 * SIZE, PAGE, 0);
    CHECK(moved != MAP_FAILED && moved[0] == 11);

    old[PROTECTED][0] = 97;
    CHECK(mprotect(old[PROTECTED], SIZE, PROT_READ) == 0);
    CHECK(madvise(old[EMPTIED], 2 * PAGE, MADV_DONTNEED) == 0);
    check_filled(old[EMPTIED], 2 * PAGE, 0);
    CHECK(old[EMPTIED][2 * PAGE] == 13);
    memset(old[SHARED], 96, SIZE);

    for (int i = 0; i < 3; i++) {
        unsigned char *fresh = map(64 * PAGE, MAP_PRIVATE);
        check_filled(fresh, 64 * PAGE, 0);
        memset(fresh, 1, 64 * PAGE);
        CHECK(munmap(fresh + PAGE, PAGE) == 0);
    }
    CHECK(munmap((void *)1, PAGE) == -1 && errno == EINVAL);
    return NULL;
}

int main(void) {
    pthread_t thread;
    for (int i = 0; i < OLD; i++) {
        old[i] = map(SIZE, i == SHARED ? MAP_SHARED : MAP_PRIVATE);
        memset(old[i], 10 + i, SIZE);
    }
    break_before = sbrk(0);
    pthread_create(&thread, NULL, change, NULL);
    pthread_join(thread, NULL);
    return 0;
}
