/* A structure handed over with __atomic_exchange_n.
 * races: none
 */
#include "subject.h"

static int box, *mail;

static void *sender(void *unused) {
    box = 1;
    __atomic_exchange_n(&mail, &box, __ATOMIC_ACQ_REL);
    return unused;
}

static void *receiver(void *unused) {
    int *got = __atomic_exchange_n(&mail, NULL, __ATOMIC_ACQ_REL);
    if (got) *got = 2;
    return unused;
}

int main(void) {
    run_two(sender, receiver);
    return 0;
}
