/* An access across the border of two words, and one of the second word.
 * races: a-b
 */
#include <string.h>

#include "subject.h"

struct __attribute__((packed)) odd {
    char skipped[6];
    int value; /* bytes 6 to 9 */
};
static union {
    struct odd odd;
    char bytes[16];
} cell;

static void *across(void *unused) {
    cell.odd.value = 1; /* @a */
    cell.bytes[5] = 1;
    return unused;
}

static void *second(void *unused) {
    cell.bytes[8] = 1; /* @b */
    cell.bytes[10] = 1;
    return unused;
}

int main(void) {
    run_two(across, second);
    return 0;
}
