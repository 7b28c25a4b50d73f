/* Two halves of a buffer.
 * races: none
 */
#include <string.h>

#include "subject.h"

static char name[16];

static void *lower(void *unused) {
    memcpy(name, "somebody", 8);
    return unused;
}

static void *upper(void *unused) {
    memset(name + 8, 'x', 7);
    return unused;
}

int main(void) {
    run_two(lower, upper);
    return strlen(name) != 15;
}
