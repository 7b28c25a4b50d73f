/* Peterson's lock with plain variables: it excludes here, where execution is sequentially consistent, but all races.
 * races: a-c c-f b-b b-d e-e
 */
#include <sched.h>

#include "subject.h"

static volatile int wants[2], turn;
static int counter;

static int must_wait(int me) {
    int other = wants[1 - me];      /* @c */
    return other && turn == 1 - me; /* @d */
}

static void add(int me) {
    wants[me] = 1; /* @a */
    turn = 1 - me; /* @b */
    while (must_wait(me)) sched_yield();
    counter++;     /* @e */
    wants[me] = 0; /* @f */
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
    return 0;
}
