/* Main reads and fails without a point in between, right after it has made the thread that could have helped.
 * options:
 * prints: S 1
 * fails: assert
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int x;

static void *help(void *unused) {
    x = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, help, NULL);
    int seen = x;
    assert(seen == 1);
    pthread_join(thread, NULL);
    char line[16];
    int size = snprintf(line, sizeof line, "S %d\n", seen);
    return write(1, line, (size_t)size) != size;
}
