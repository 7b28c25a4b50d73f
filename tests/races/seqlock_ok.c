/* A sequence lock as C11 has it: atomic data, relaxed, between fences.
 * races: none
 */
#include <stdatomic.h>

#include "subject.h"

static atomic_uint sequence;
static atomic_int left, right;

static void *writer(void *unused) {
    atomic_store_explicit(&sequence, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&left, 1, memory_order_relaxed);
    atomic_store_explicit(&right, 1, memory_order_relaxed);
    atomic_store_explicit(&sequence, 2, memory_order_release);
    return unused;
}

static void *reader(void *unused) {
    unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
    int sum = atomic_load_explicit(&left, memory_order_relaxed);
    sum += atomic_load_explicit(&right, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    unsigned after = atomic_load_explicit(&sequence, memory_order_relaxed);
    return before == after && before % 2 == 0 && sum == 1 ? &left : unused;
}

int main(void) {
    run_two(writer, reader);
    return 0;
}
