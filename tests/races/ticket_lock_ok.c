/* A ticket lock of atomics.
 * races: none
 */
#include <sched.h>
#include <stdatomic.h>

#include "subject.h"

static atomic_uint next, serving;
static int counter;

static void *add(void *unused) {
    unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_acquire) != mine) sched_yield();
    counter++;
    atomic_store_explicit(&serving, mine + 1, memory_order_release);
    return unused;
}

int main(void) {
    run_two(add, add);
    return counter != 2;
}
