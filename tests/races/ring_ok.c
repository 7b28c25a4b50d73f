/* A ring for one producer and one consumer, with release and acquire on both indices.
 * races: none
 */
#include <stdatomic.h>

#include "subject.h"

static int slots[1];
static atomic_uint head, tail;

static void *produce(void *unused) {
    for (int i = 0; i < 2; i++) {
        unsigned at = atomic_load_explicit(&tail, memory_order_relaxed);
        if (at - atomic_load_explicit(&head, memory_order_acquire) == 1) continue;
        slots[0] = i;
        atomic_store_explicit(&tail, at + 1, memory_order_release);
    }
    return unused;
}

static void *consume(void *unused) {
    int got = 0;
    for (int i = 0; i < 2; i++) {
        unsigned at = atomic_load_explicit(&head, memory_order_relaxed);
        if (at == atomic_load_explicit(&tail, memory_order_acquire)) continue;
        got += slots[0];
        atomic_store_explicit(&head, at + 1, memory_order_release);
    }
    (void)got;
    return unused;
}

int main(void) {
    run_two(produce, consume);
    return 0;
}
