/* What formatting does not touch: beyond a precision, beyond the end of a number, targets that are not assigned, and sorting
 * of a part of an array.
 * races: none
 */
#include <stdio.h>
#include <stdlib.h>

#include "subject.h"

static char text[8] = "12 34";
static int numbers[4] = {2, 1, 4, 3}, other;

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void *use(void *unused) {
    char copy[32];
    int wrong = snprintf(copy, sizeof copy, "%3$.*4$s%2$d%1$g", 1.0, 2, "", 1) != 2;
    wrong |= snprintf(copy, sizeof copy, "%5.1f|%.*s|%Lf|%-8.2s|%d%%", 1.0, 2, text, 1.0L, text, 3) < 0;
    wrong |= sscanf("7 x", "%*d %d", &other) != 0;
    wrong |= strtol(text, NULL, 10) != 12;
    qsort(numbers, 2, sizeof *numbers, by_number);
    return wrong ? text : unused;
}

static void *change(void *unused) {
    text[3] = '5';
    numbers[2]++;
    other++;
    return unused;
}

int main(void) {
    run_two(use, change);
    return 0;
}
