/* The thread's own write lies between the other thread's and its read, and the other one never comes after the read while
 * the assertion ends the execution.
 * options:
 * prints: S 2
 * fails: assert
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int x;

static void *other(void *unused) {
    x = 2;
    return unused;
}

static void *checks(void *unused) {
    x = 1;
    assert(x == 2);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, other, NULL);
    pthread_create(&threads[1], NULL, checks, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    char line[16];
    int size = snprintf(line, sizeof line, "S %d\n", x);
    return write(1, line, (size_t)size) != size;
}
