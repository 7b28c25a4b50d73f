/* strcpy and strlen of one string; the byte behind its end is nobody's.
 * races: a-b
 */
#include <string.h>

#include "subject.h"

static char name[16] = "abc";

static void *fill(void *unused) {
    strcpy(name, "xyz"); /* @a */
    return unused;
}

static void *measure(void *unused) {
    size_t size = strlen(name); /* @b */
    (void)size;
    return unused;
}

static void *outside(void *unused) {
    name[4] = 'o';
    return unused;
}

int main(void) {
    run_three(fill, measure, outside);
    return 0;
}
