/* The bytes share a granule of the conflict history, but only the first is shared by the threads: accesses to the others
 * may not hide those to the first.
 * options:
 * prints: S 0
 * prints: S 1
 * prints: S 2
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static struct { unsigned char shared, of_writer, of_reader; } bytes __attribute__((aligned(8)));

static void *writer(void *unused) {
    bytes.shared = 1;
    bytes.of_writer = 1;
    bytes.shared = 2;
    bytes.of_writer = 2;
    return unused;
}

static void *reader(void *unused) {
    uintptr_t seen = bytes.shared;
    return bytes.of_reader ? unused : (void *)seen;
}

int main(void) {
    pthread_t threads[2];
    void *seen;
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], &seen);
    char line[16];
    int size = snprintf(line, sizeof line, "S %d\n", (int)(uintptr_t)seen);
    return write(1, line, (size_t)size) != size;
}
