/* A relaxed read-modify-write in the middle continues the release sequence of the store before it.
 * races: none
 */
#include <stdatomic.h>

#include "subject.h"

static atomic_int stage;
static int message;

static void *sender(void *unused) {
    message = 1;
    atomic_store_explicit(&stage, 1, memory_order_release);
    return unused;
}

static void *relay(void *unused) {
    int expected = 1;
    atomic_compare_exchange_strong_explicit(&stage, &expected, 2, memory_order_relaxed, memory_order_relaxed);
    return unused;
}

static void *receiver(void *unused) {
    int got = 0;
    if (atomic_load_explicit(&stage, memory_order_acquire) == 2) got = message;
    (void)got;
    return unused;
}

int main(void) {
    run_three(sender, relay, receiver);
    return 0;
}
