/* Prints by every way there is, and writes a file that was opened before the threads. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int result;

static void *say(void *unused) {
    printf("by printf\n");
    if (write(1, "by write\n", 9) != 9 || dprintf(2, "to error\n") != 9) return &result;
    if (write(result, "the result\n", 11) != 11) return &result;
    return unused;
}

int main(void) {
    pthread_t thread;
    void *failed;
    result = open("result", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    puts("before");
    pthread_create(&thread, NULL, say, NULL);
    pthread_join(thread, &failed);
    int copy = dup(1);
    if (dprintf(copy, "through a copy\n") < 0) return 1;
    return failed != NULL;
}
