/* memcpy into a buffer of which the other thread reads a byte, and memset over another.
 * races: a-b c-d
 */
#include <string.h>

#include "subject.h"

static char name[16], other[16];

static void *fill(void *unused) {
    memcpy(name, "somebody", 9);    /* @a */
    memset(other, 0, sizeof other); /* @c */
    return unused;
}

static void *peek(void *unused) {
    int byte = name[8]; /* @b */
    byte += other[15];  /* @d */
    (void)byte;
    return unused;
}

int main(void) {
    run_two(fill, peek);
    return 0;
}
