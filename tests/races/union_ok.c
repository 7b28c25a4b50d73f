/* Different bytes through different members of a union.
 * races: none
 */
#include "subject.h"

static union {
    short halves[2];
    char bytes[4];
} cell;

static void *set_half(void *unused) {
    cell.halves[0] = 1;
    return unused;
}

static void *set_byte(void *unused) {
    cell.bytes[2] = 1;
    return unused;
}

int main(void) {
    run_two(set_half, set_byte);
    return 0;
}
