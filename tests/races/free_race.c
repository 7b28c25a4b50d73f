/* Freed while in use.
 * races: a-b
 * harm: a-b
 */
#include <stdlib.h>

#include "subject.h"

static int *block;

static void *use(void *unused) {
    int *mine = block;
    int copy = *mine; /* @a */
    (void)copy;
    return unused;
}

static void *drop(void *unused) {
    int *mine = block;
    free(mine); /* @b */
    return unused;
}

int main(void) {
    block = malloc(sizeof *block);
    *block = 1;
    run_two(use, drop);
    return 0;
}
