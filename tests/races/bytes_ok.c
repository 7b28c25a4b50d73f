/* Neighbours in one word: bytes, halves, and a byte beside a half. No memory location is shared.
 * races: none
 */
#include "subject.h"

static struct {
    char a, b;
    short c;
    int d;
} word;

static void *odd(void *unused) {
    word.a = 1;
    word.c = 1;
    return unused;
}

static void *even(void *unused) {
    word.b = 1;
    word.d = 1;
    return unused;
}

int main(void) {
    run_two(odd, even);
    return 0;
}
