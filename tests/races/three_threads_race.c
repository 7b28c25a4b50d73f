/* Two writers and a reader.
 * races: a-b a-c b-c
 */
#include "subject.h"

static int value;

static void *first(void *unused) {
    value = 1; /* @a */
    return unused;
}

static void *second(void *unused) {
    value = 2; /* @b */
    return unused;
}

static void *third(void *unused) {
    int seen = value; /* @c */
    (void)seen;
    return unused;
}

int main(void) {
    run_three(first, second, third);
    return 0;
}
