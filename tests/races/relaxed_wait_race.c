/* Waits for a relaxed flag: the message is there whenever it is read, but nothing says so.
 * races: a-b
 */
#include <sched.h>
#include <stdatomic.h>

#include "subject.h"

static atomic_int ready;
static int message;

static void *sender(void *unused) {
    message = 1; /* @a */
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}

static void *receiver(void *unused) {
    while (!atomic_load_explicit(&ready, memory_order_relaxed)) sched_yield();
    int got = message; /* @b */
    (void)got;
    return unused;
}

int main(void) {
    run_two(sender, receiver);
    return 0;
}
