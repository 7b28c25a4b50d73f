/* Flanagan and Godefroid's indexer: n threads put 4 messages each into a hash table of 128 places by compare-exchange. Up to 11
 * threads nothing collides: one trace. From there on each thread more multiplies them by 8 (POPL 2014: 8, and 4096 for 15).
 * counts: 2 = 1
 * counts: 11 = 1
 * counts: 12 = 8
 * counts: 13 = 64
 * counts: 15 = 4096 only
 */
#include "count.h"

enum { SIZE = 128, MESSAGES = 4 };
static atomic_int table[SIZE];

static void *body(void *number) {
    int m = 0;
    intptr_t moved = 0;
    while (m < MESSAGES) {
        int w = ++m * 11 + (int)(intptr_t)number;
        int h = w * 7 % SIZE;
        for (int expected = 0; !atomic_compare_exchange_strong(&table[h], &expected, w); expected = 0) {
            h = (h + 1) % SIZE;
            moved++;
        }
    }
    return (void *)moved;
}

int main(int argc, char **argv) {
    intptr_t seen[MOST];
    int n = argument(argc, argv, 1, 2);
    together(n, body, seen);
    tell(seen, n);
}
