/* A sequence lock over plain data: what is read may be thrown away, but it is a race.
 * races: a-c b-d
 */
#include <stdatomic.h>

#include "subject.h"

static atomic_uint sequence;
static int left, right;

static void *writer(void *unused) {
    atomic_fetch_add(&sequence, 1);
    left = 1;  /* @a */
    right = 1; /* @b */
    atomic_fetch_add(&sequence, 1);
    return unused;
}

static void *reader(void *unused) {
    unsigned before = atomic_load(&sequence);
    int sum = left; /* @c */
    sum += right;   /* @d */
    return before == atomic_load(&sequence) && before % 2 == 0 && sum == 1 ? &left : unused;
}

int main(void) {
    run_two(writer, reader);
    return 0;
}
