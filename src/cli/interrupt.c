#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

#include "supervisor/serve.h"

static void interrupt(int number) {
    (void)number;
    rv_interrupted = 1;
}

static void wake_up(int number) { (void)number; }

void rv_catch_interrupts(void) {
    /* No SA_RESTART: waiting calls shall return. */
    struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    action.sa_handler = wake_up;
    sigaction(SIGCHLD, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* a reader that left is seen as a write that fails */
}
