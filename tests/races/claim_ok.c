/* Only who wins the compare-and-swap writes; relaxed suffices, for nobody else reads before the join.
 * races: none
 */
#include <stdatomic.h>

#include "subject.h"

static atomic_int taken;
static int value;

static void *claim(void *unused) {
    int expected = 0;
    if (atomic_compare_exchange_strong_explicit(&taken, &expected, 1, memory_order_relaxed,
                                                memory_order_relaxed))
        value = 1;
    return unused;
}

int main(void) {
    run_three(claim, claim, claim);
    return value != 1;
}
