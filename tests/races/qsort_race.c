/* The comparison reads an array that another thread writes; and so does qsort itself.
 * races: a-b b-c
 */
#include <stdlib.h>

#include "subject.h"

static int numbers[2] = {2, 1};

static int by_number(const void *a, const void *b) {
    const int *first = a, *second = b;
    return *first - *second; /* @a */
}

static void *sort(void *unused) {
    qsort(numbers, 2, sizeof *numbers, by_number); /* @c */
    return unused;
}

static void *change(void *unused) {
    numbers[0] = 3; /* @b */
    return unused;
}

int main(void) {
    run_two(sort, change);
    return 0;
}
