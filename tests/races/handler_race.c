/* A signal handler of one thread writes what another thread reads.
 * races: a-b
 */
#include <signal.h>

#include "subject.h"

static volatile sig_atomic_t seen;

static void on_signal(int number) { seen = number; /* @a */ }

static void *raiser(void *unused) {
    raise(SIGUSR1);
    return unused;
}

static void *watcher(void *unused) {
    int copy = seen; /* @b */
    (void)copy;
    return unused;
}

int main(void) {
    signal(SIGUSR1, on_signal);
    run_two(raiser, watcher);
    return 0;
}
