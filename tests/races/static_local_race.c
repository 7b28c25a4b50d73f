/* A static variable inside a function is shared like any other.
 * races: a-a
 */
#include "subject.h"

static int next_number(void) {
    static int last;
    return ++last; /* @a */
}

static void *work(void *unused) {
    (void)next_number();
    return unused;
}

int main(void) {
    run_two(work, work);
    return 0;
}
