/* Each thread has elements of its own.
 * races: none
 */
#include "subject.h"

static int cells[4];

static void fill(int from) {
    for (int i = from; i < 4; i += 2) cells[i] = i;
}

static void *even(void *unused) {
    fill(0);
    return unused;
}

static void *odd(void *unused) {
    fill(1);
    return unused;
}

int main(void) {
    run_two(even, odd);
    return 0;
}
