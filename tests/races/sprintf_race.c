/* A buffer that two threads format into.
 * races: a-b
 */
#include <stdio.h>

#include "subject.h"

static char buffer[32];

static void *one(void *unused) {
    int size = sprintf(buffer, "%d", 1); /* @a */
    return size == 1 ? unused : buffer;
}

static void *two(void *unused) {
    int size = snprintf(buffer, sizeof buffer, "%s", "two"); /* @b */
    return size == 3 ? unused : buffer;
}

int main(void) {
    run_two(one, two);
    return 0;
}
