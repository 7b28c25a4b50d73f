/* Relaxed atomics do not order, but are no race themselves.
 * races: none
 */
#include <stdatomic.h>

#include "subject.h"

static atomic_int counter;

static void *add(void *unused) {
    atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
    int seen = atomic_load_explicit(&counter, memory_order_relaxed);
    (void)seen;
    return unused;
}

int main(void) {
    run_two(add, add);
    return counter != 2;
}
