/* The old version is freed when its reader has said that it is done.
 * races: none
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "subject.h"

struct version {
    int value;
};
static _Atomic(struct version *) current;
static atomic_int quiet;

static void *writer(void *unused) {
    struct version *old = atomic_exchange(&current, NULL);
    if (atomic_load_explicit(&quiet, memory_order_acquire)) free(old);
    return unused;
}

static void *reader(void *unused) {
    struct version *seen = atomic_load(&current);
    int value = seen ? seen->value : 0;
    atomic_store_explicit(&quiet, 1, memory_order_release);
    (void)value;
    return unused;
}

int main(void) {
    struct version *first = calloc(1, sizeof *first);
    current = first;
    run_two(writer, reader);
    return 0;
}
