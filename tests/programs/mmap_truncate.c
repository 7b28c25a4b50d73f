/* A shared journal in a memory file: the rotator truncates it while a reader still has it mapped.
 *
 * Bug (bus in last_entry): the reader checks the size; the rotator truncates the file to nothing; the reader touches
 * a page behind the end of the file.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 4096 };

static struct journal {
    int file;
    int *entries;
    atomic_int used;
} journal;

static int journal_open(struct journal *j) {
    j->file = memfd_create("journal", MFD_CLOEXEC);
    if (j->file < 0 || ftruncate(j->file, SIZE)) return -1;
    j->entries = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, j->file, 0);
    return j->entries == MAP_FAILED ? -1 : 0;
}

static void journal_rotate(struct journal *j) {
    atomic_store(&j->used, 0);
    if (ftruncate(j->file, 0)) perror("ftruncate");
}

static int last_entry(struct journal *j) {
    int used = atomic_load(&j->used);
    return used ? j->entries[used - 1] : -1;
}

static void *rotator(void *unused) {
    (void)unused;
    journal_rotate(&journal);
    return NULL;
}

static void *reader(void *result) {
    for (int i = 0; i < 2; i++) *(int *)result = last_entry(&journal);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int result;
    if (journal_open(&journal)) return 1;
    journal.entries[0] = 7;
    atomic_store(&journal.used, 1);
    pthread_create(&threads[0], NULL, reader, &result);
    pthread_create(&threads[1], NULL, rotator, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    munmap(journal.entries, SIZE);
    close(journal.file);
    printf("%d\n", result);
    return 0;
}
