/* The annotations name different addresses; the flag is declared benign, the message is not.
 * races: a-b
 */
#include <ravel.h>

#include "subject.h"

static volatile int ready;
static int message;

static void *sender(void *unused) {
    message = 1; /* @a */
    RAVEL_HAPPENS_BEFORE(&message);
    ready = 1;
    return unused;
}

static void *receiver(void *unused) {
    int got = 0;
    if (ready) {
        RAVEL_HAPPENS_AFTER(&ready);
        got = message; /* @b */
    }
    (void)got;
    return unused;
}

int main(void) {
    RAVEL_BENIGN_RACE(ready);
    run_two(sender, receiver);
    return 0;
}
