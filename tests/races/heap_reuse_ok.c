/* The allocator may give the block of one thread to the other: different objects, no race.
 * races: none
 */
#include <stdlib.h>

#include "subject.h"

static void *work(void *unused) {
    int *block = malloc(sizeof *block);
    *block = 1;
    (*block)++;
    free(block);
    return unused;
}

int main(void) {
    run_three(work, work, work);
    return 0;
}
