/* Prints four megabytes on standard output and standard error in every execution. Outcome: nothing found, and nothing
 * fills up. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINES = 32, LINE = 65536 };

static void *print(void *arg) {
    FILE *stream = arg;
    static char line[LINE]; /* the same in both threads */
    for (int i = 0; i < LINES; i++)
        if (fwrite(line, 1, LINE, stream) != LINE) return arg;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    void *results[2];
    pthread_create(&threads[0], NULL, print, stdout);
    pthread_create(&threads[1], NULL, print, stderr);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], &results[i]);
    return results[0] || results[1];
}
