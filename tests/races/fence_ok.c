/* Relaxed operations, a release fence before the store and an acquire fence after the load.
 * races: none
 */
#include <stdatomic.h>

#include "subject.h"

static atomic_int ready;
static int message;

static void *sender(void *unused) {
    message = 1;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}

static void *receiver(void *unused) {
    int got = 0;
    if (atomic_load_explicit(&ready, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        got = message;
    }
    (void)got;
    return unused;
}

int main(void) {
    run_two(sender, receiver);
    return 0;
}
