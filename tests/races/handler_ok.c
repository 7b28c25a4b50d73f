/* A signal handler and the thread that it interrupts are one thread.
 * races: none
 */
#include <signal.h>

#include "subject.h"

static _Thread_local volatile sig_atomic_t seen;

static void on_signal(int number) { seen = number; }

static void *raiser(void *unused) {
    seen = 0;
    raise(SIGUSR1);
    return seen == SIGUSR1 ? unused : NULL;
}

int main(void) {
    signal(SIGUSR1, on_signal);
    run_two(raiser, raiser);
    return 0;
}
