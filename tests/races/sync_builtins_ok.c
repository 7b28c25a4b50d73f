/* The old builtins: a spin lock of __sync_lock_test_and_set, and __sync_synchronize as a fence.
 * races: none
 */
#include <sched.h>

#include "subject.h"

static int taken, counter, uses;

static void *add(void *unused) {
    while (__sync_lock_test_and_set(&taken, 1)) sched_yield();
    counter++;
    __sync_lock_release(&taken);
    __sync_fetch_and_add(&uses, 1);
    return unused;
}

int main(void) {
    run_two(add, add);
    return __sync_add_and_fetch(&uses, 0) + counter != 4;
}
