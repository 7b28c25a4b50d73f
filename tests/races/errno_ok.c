/* errno and the buffer of strerror_r are a thread's own.
 * races: none
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "subject.h"

static void *fail(void *unused) {
    char text[64];
    if (close(-1) == 0 || errno != EBADF) return &errno;
    errno = 0;
    return strerror_r(EBADF, text, sizeof text) ? unused : text;
}

int main(void) {
    run_two(fail, fail);
    return 0;
}
