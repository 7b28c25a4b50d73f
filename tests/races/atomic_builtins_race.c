/* A failed compare-and-swap is a load, with its own order: relaxed here.
 * races: a-b
 */
#include "subject.h"

static int message, ready;

static void *sender(void *unused) {
    message = 1; /* @a */
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
    return unused;
}

static void *receiver(void *unused) {
    int got = 0, expected = 0;
    if (!__atomic_compare_exchange_n(&ready, &expected, 2, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        got = message; /* @b */
    (void)got;
    return unused;
}

int main(void) {
    run_two(sender, receiver);
    return 0;
}
