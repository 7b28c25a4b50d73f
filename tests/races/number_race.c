/* Digits that are read as a number while another thread changes them; and the place where the number ended.
 * races: a-c b-c
 */
#include <stdlib.h>

#include "subject.h"

static char digits[8] = "123";

static void *read_it(void *unused) {
    char *end;
    long value = strtol(digits, &end, 10); /* @a */
    int other = atoi(digits);              /* @b */
    return value + other > 0 ? unused : digits;
}

static void *change(void *unused) {
    digits[2] = '4'; /* @c */
    return unused;
}

int main(void) {
    run_two(read_it, change);
    return 0;
}
