/* A spin lock of an atomic flag.
 * races: none
 */
#include <sched.h>
#include <stdatomic.h>

#include "subject.h"

static atomic_flag taken = ATOMIC_FLAG_INIT;
static int counter;

static void *add(void *unused) {
    while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire)) sched_yield();
    counter++;
    atomic_flag_clear_explicit(&taken, memory_order_release);
    return unused;
}

int main(void) {
    run_two(add, add);
    return counter != 2;
}
