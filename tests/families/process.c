/* What the whole process has one of: the stream of random numbers, files by name, mappings, the working directory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "family.h"

static char *page;

THREAD(draws) {
    unsigned char value;
    if (getrandom(&value, 1, 0) != 1) _exit(8);
    return value;
}
THREAD(draws_again) { return (number)(arc4random() % 1000); }

static void clean(void) { unlink("families.tmp"); }
THREAD(makes) {
    int fd = open("families.tmp", O_CREAT | O_EXCL | O_RDWR, 0600);
    return fd < 0 ? -errno : 0;
}
THREAD(removes) { return unlink("families.tmp") ? -errno : 0; }
THREAD(looks) { return access("families.tmp", F_OK) ? -errno : 0; }
THREAD(measures) {
    struct stat status;
    return stat("families.tmp", &status) ? -errno : 0;
}
static number remove_after(void) { return unlink("families.tmp") ? -errno : 0; }

static void map(void) { page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
THREAD(reads_page) { return *(volatile char *)page; }
THREAD(writes_page) { return *(volatile char *)page = 3; }
THREAD(discards) { return madvise(page, 4096, MADV_DONTNEED); }

SCENARIOS({"draw", "-", NULL, {draws, draws}}, {"draw_again", "-", NULL, {draws_again, draws}},
          {"make", "-", clean, {makes, makes}, remove_after},
          {"make_look", "-", clean, {makes, looks}, remove_after},
          {"make_stat", "-", clean, {makes, measures}, remove_after},
          {"make_remove", "-", clean, {makes, removes}, remove_after},
          {"discard", "-", map, {writes_page, discards, reads_page}})
