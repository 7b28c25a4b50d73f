/* Peterson's lock with sequentially consistent atomics.
 * races: none
 */
#include <sched.h>
#include <stdatomic.h>

#include "subject.h"

static atomic_int wants[2], turn;
static int counter;

static void add(int me) {
    wants[me] = 1;
    turn = 1 - me;
    while (wants[1 - me] && turn == 1 - me) sched_yield();
    counter++;
    wants[me] = 0;
}

static void *first(void *unused) {
    add(0);
    return unused;
}

static void *second(void *unused) {
    add(1);
    return unused;
}

int main(void) {
    run_two(first, second);
    return counter != 2;
}
