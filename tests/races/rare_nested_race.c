/* Only who looks twice, in two certain moments, writes.
 * races: a-b
 */
#include <stdatomic.h>

#include "subject.h"

static atomic_int stage;
static int value;

static void *go(void *unused) {
    stage = 1;
    stage = 2;
    value = 1; /* @a */
    return unused;
}

static void *look(void *unused) {
    if (stage == 1 && stage == 2) value = 2; /* @b */
    return unused;
}

int main(void) {
    run_two(go, look);
    return 0;
}
