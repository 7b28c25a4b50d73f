/* write() reads the buffer that another thread fills.
 * races: a-b
 */
#include <unistd.h>

#include "subject.h"

static int ends[2];
static char buffer[4];

static void *send_it(void *unused) {
    ssize_t size = write(ends[1], buffer, sizeof buffer); /* @a */
    return size == 4 ? unused : buffer;
}

static void *fill(void *unused) {
    buffer[3] = 'x'; /* @b */
    return unused;
}

int main(void) {
    if (pipe(ends)) return 2;
    run_two(send_it, fill);
    return 0;
}
