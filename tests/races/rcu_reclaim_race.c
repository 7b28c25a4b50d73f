/* The old version is freed with no regard to its reader.
 * races: a-b
 * harm: a-b
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "subject.h"

struct version {
    int value;
};
static _Atomic(struct version *) current;

static void *writer(void *unused) {
    struct version *old = atomic_exchange(&current, NULL);
    free(old); /* @a */
    return unused;
}

static void *reader(void *unused) {
    struct version *seen = atomic_load(&current);
    int value = 0;
    if (seen) value = seen->value; /* @b */
    (void)value;
    return unused;
}

int main(void) {
    struct version *first = calloc(1, sizeof *first);
    current = first;
    run_two(writer, reader);
    return 0;
}
