/* Reading together is no conflict.
 * races: none
 */
#include "subject.h"

static int table[2] = {1, 2};

static void *sum(void *unused) {
    int total = table[0] + table[1];
    (void)total;
    return unused;
}

int main(void) {
    run_three(sum, sum, sum);
    return 0;
}
