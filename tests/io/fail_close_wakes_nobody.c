/* Closing a descriptor to wake the thread that reads from it. Outcome: deadlock (the read keeps the open file, as in Linux). */
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *unused) {
    (void)unused;
    char byte;
    return read(ends[0], &byte, 1) == 1 ? unused : NULL;
}

int main(void) {
    pthread_t thread;
    if (pipe(ends)) return 1;
    pthread_create(&thread, NULL, reader, NULL);
    close(ends[0]);
    pthread_join(thread, NULL);
    return 0;
}
