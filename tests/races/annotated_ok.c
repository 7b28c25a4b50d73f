/* Home-made synchronisation that ravel is told about; its flag is declared benign.
 * races: none
 */
#include <ravel.h>

#include "subject.h"

static volatile int ready;
static int message;

static void *sender(void *unused) {
    message = 1;
    RAVEL_HAPPENS_BEFORE(&ready);
    ready = 1;
    return unused;
}

static void *receiver(void *unused) {
    int got = 0;
    if (ready) {
        RAVEL_HAPPENS_AFTER(&ready);
        got = message;
    }
    (void)got;
    return unused;
}

int main(void) {
    RAVEL_BENIGN_RACE(ready);
    run_two(sender, receiver);
    return 0;
}
