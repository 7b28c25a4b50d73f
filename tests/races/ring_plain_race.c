/* Plain indices: they race, and the slot with them.
 * races: a-b c-d e-f
 */
#include "subject.h"

static int slots[2];
static unsigned head, tail;

static void *produce(void *unused) {
    unsigned at = tail;
    unsigned other = head; /* @e */
    if (at - other < 2) {
        slots[at % 2] = 1; /* @a */
        tail = at + 1;     /* @c */
    }
    return unused;
}

static void *consume(void *unused) {
    unsigned at = head;
    unsigned other = tail; /* @d */
    if (at != other) {
        int got = slots[at % 2]; /* @b */
        head = at + 1;           /* @f */
        (void)got;
    }
    return unused;
}

int main(void) {
    run_two(produce, consume);
    return 0;
}
