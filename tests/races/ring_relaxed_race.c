/* The consumer gives a slot back with a relaxed store: only the second round races.
 * races: a-b
 */
#include <stdatomic.h>

#include "subject.h"

static int slots[1];
static atomic_uint head, tail;

static void *produce(void *unused) {
    for (int i = 0; i < 2; i++) {
        unsigned at = atomic_load_explicit(&tail, memory_order_relaxed);
        if (at - atomic_load_explicit(&head, memory_order_acquire) == 1) continue;
        slots[0] = i; /* @a */
        atomic_store_explicit(&tail, at + 1, memory_order_release);
    }
    return unused;
}

static void *consume(void *unused) {
    int got = 0;
    for (int i = 0; i < 2; i++) {
        unsigned at = atomic_load_explicit(&head, memory_order_relaxed);
        if (at == atomic_load_explicit(&tail, memory_order_acquire)) continue;
        got += slots[0]; /* @b */
        atomic_store_explicit(&head, at + 1, memory_order_relaxed);
    }
    (void)got;
    return unused;
}

int main(void) {
    run_two(produce, consume);
    return 0;
}
