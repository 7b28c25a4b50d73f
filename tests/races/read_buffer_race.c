/* read() writes into the buffer that another thread reads.
 * races: a-b
 */
#include <unistd.h>

#include "subject.h"

static int ends[2];
static char buffer[4];

static void *fill(void *unused) {
    ssize_t size = read(ends[0], buffer, sizeof buffer); /* @a */
    return size == 4 ? unused : buffer;
}

static void *peek(void *unused) {
    int byte = buffer[1]; /* @b */
    (void)byte;
    return unused;
}

int main(void) {
    if (pipe(ends) || write(ends[1], "1234", 4) != 4) return 2;
    run_two(fill, peek);
    return 0;
}
