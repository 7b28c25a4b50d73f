/* fails: segv: read of memory that is not mapped
 * Memory that was there from the beginning, unmapped while another thread may still read it. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

static int *table;
static atomic_int closing;

static void *reader(void *unused) {
    static volatile int seen;
    if (!atomic_load(&closing)) seen = table[0];
    (void)seen;
    return unused;
}

int main(void) {
    pthread_t thread;
    table = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (table == MAP_FAILED) return 1;
    table[0] = 1;
    pthread_create(&thread, NULL, reader, NULL);
    atomic_store(&closing, 1);
    munmap(table, 4096);
    pthread_join(thread, NULL);
    return 0;
}
