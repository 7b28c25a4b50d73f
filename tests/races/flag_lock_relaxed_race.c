/* The spin lock is given back with a relaxed store: it excludes, but does not order.
 * races: a-a
 */
#include <sched.h>
#include <stdatomic.h>

#include "subject.h"

static atomic_flag taken = ATOMIC_FLAG_INIT;
static int counter;

static void *add(void *unused) {
    while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire)) sched_yield();
    counter++; /* @a */
    atomic_flag_clear_explicit(&taken, memory_order_relaxed);
    return unused;
}

int main(void) {
    run_two(add, add);
    return 0;
}
