/* sscanf fills a variable and a text that another thread reads.
 * races: a-b a-c
 */
#include <stdio.h>

#include "subject.h"

static int value;
static char word[8];

static void *scan(void *unused) {
    int count = sscanf("x%% 7 abc", "x%%%% %d %7s", &value, word); /* @a */
    return count == 2 ? unused : word;
}

static void *look(void *unused) {
    int seen = value;     /* @b */
    char first = word[0]; /* @c */
    return seen + first >= 0 ? unused : word;
}

int main(void) {
    run_two(scan, look);
    return 0;
}
