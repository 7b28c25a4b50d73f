/* A relaxed store in the middle, by another thread, ends the release sequence.
 * races: a-b
 */
#include <stdatomic.h>

#include "subject.h"

static atomic_int stage;
static int message;

static void *sender(void *unused) {
    message = 1; /* @a */
    atomic_store_explicit(&stage, 1, memory_order_release);
    return unused;
}

static void *relay(void *unused) {
    if (atomic_load_explicit(&stage, memory_order_relaxed) == 1)
        atomic_store_explicit(&stage, 2, memory_order_relaxed);
    return unused;
}

static void *receiver(void *unused) {
    int got = 0;
    if (atomic_load_explicit(&stage, memory_order_acquire) == 2) got = message; /* @b */
    (void)got;
    return unused;
}

int main(void) {
    run_three(sender, relay, receiver);
    return 0;
}
