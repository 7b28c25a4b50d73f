/* unusable: makes threads by clone\(CLONE_VM\)
 * Threads that are not POSIX threads. */
#define _GNU_SOURCE
#include <sched.h>

static char stack[65536] __attribute__((aligned(16)));

static int body(void *unused) {
    (void)unused;
    return 0;
}

int main(void) { return clone(body, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_FILES, 0) < 0; }
