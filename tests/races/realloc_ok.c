/* A block that grows, beside one of another thread.
 * races: none
 */
#include <stdlib.h>

#include "subject.h"

static void *work(void *unused) {
    char *block = calloc(1, 8);
    block[7] = 1;
    block = realloc(block, 4000);
    block[3999] = block[7];
    free(block);
    return unused;
}

int main(void) {
    run_two(work, work);
    return 0;
}
