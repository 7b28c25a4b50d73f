/* __sync_synchronize is a full fence.
 * races: none
 */
#include "subject.h"

static int ready, message;

static void *sender(void *unused) {
    message = 1;
    __sync_synchronize();
    __atomic_store_n(&ready, 1, __ATOMIC_RELAXED);
    return unused;
}

static void *receiver(void *unused) {
    int got = 0;
    if (__atomic_load_n(&ready, __ATOMIC_RELAXED)) {
        __sync_synchronize();
        got = message;
    }
    (void)got;
    return unused;
}

int main(void) {
    run_two(sender, receiver);
    return 0;
}
