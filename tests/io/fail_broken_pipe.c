/* The reader may be gone when the writer writes. Outcome: signal (SIGPIPE). */
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *unused) {
    (void)unused;
    close(ends[0]);
    return NULL;
}

int main(void) {
    pthread_t thread;
    if (pipe(ends)) return 1;
    pthread_create(&thread, NULL, reader, NULL);
    if (write(ends[1], "x", 1) != 1) return 0;
    pthread_join(thread, NULL);
    return 0;
}
