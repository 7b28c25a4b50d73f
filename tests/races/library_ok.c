/* The C library orders itself: printf, qsort of own arrays, malloc, rand.
 * races: none
 */
#include <stdio.h>
#include <stdlib.h>

#include "subject.h"

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void *sort(void *unused) {
    int numbers[4] = {3, 1, 2, 0};
    qsort(numbers, 4, sizeof *numbers, by_number);
    printf("%d\n", numbers[0] + rand() * 0);
    return unused;
}

int main(void) {
    run_two(sort, sort);
    return 0;
}
