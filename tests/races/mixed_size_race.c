/* A word, and the last byte of it.
 * races: a-b
 */
#include "subject.h"

static union {
    unsigned long long word;
    unsigned char bytes[8];
} cell;

static void *set_word(void *unused) {
    cell.word = 1; /* @a */
    return unused;
}

static void *read_byte(void *unused) {
    int last = cell.bytes[7]; /* @b */
    (void)last;
    return unused;
}

int main(void) {
    run_two(set_word, read_byte);
    return 0;
}
