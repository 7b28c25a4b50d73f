/* Main's first read is followed by the thread's read of the same bytes before the thread's write comes, in every execution in
 * which main's read is no point: no later read may hide it.
 * options:
 * prints: S 0 1
 * prints: S 0 2
 * prints: S 1 2
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int x;

static void *count(void *unused) {
    x = x + 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    int seen = x;
    x = seen + 1;
    pthread_join(thread, NULL);
    char line[16];
    int size = snprintf(line, sizeof line, "S %d %d\n", seen, x);
    return write(1, line, (size_t)size) != size;
}
