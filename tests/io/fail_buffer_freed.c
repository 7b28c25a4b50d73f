/* The buffer of a read is freed while the read waits. Outcome: use-after-free. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];
static char *buffer;

static void *reader(void *unused) {
    (void)unused;
    return read(ends[0], buffer, 8) == 8 ? buffer : NULL;
}

int main(void) {
    pthread_t thread;
    if (pipe(ends)) return 1;
    buffer = malloc(8);
    pthread_create(&thread, NULL, reader, NULL);
    free(buffer);
    if (write(ends[1], "12345678", 8) != 8) return 1;
    pthread_join(thread, NULL);
    return 0;
}
