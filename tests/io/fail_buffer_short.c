/* A message longer than the buffer, if the second part comes before the first is read. Outcome: heap-overflow. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *unused) {
    (void)unused;
    for (int i = 0; i < 2; i++)
        if (write(ends[1], "12345678", 8) != 8) abort();
    return NULL;
}

int main(void) {
    pthread_t thread;
    if (pipe(ends)) return 1;
    pthread_create(&thread, NULL, writer, NULL);
    char *buffer = malloc(8);
    if (read(ends[0], buffer, 64) < 8) return 1;
    pthread_join(thread, NULL);
    free(buffer);
    return 0;
}
