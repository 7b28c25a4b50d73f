/* A new version is published with release; the reader depends on it (consume).
 * races: none
 */
#include <stdatomic.h>

#include "subject.h"

static struct version { int value; } old = {1}, new;
static _Atomic(struct version *) current = &old;

static void *writer(void *unused) {
    new.value = 2;
    atomic_store_explicit(&current, &new, memory_order_release);
    return unused;
}

static void *reader(void *unused) {
    struct version *seen = atomic_load_explicit(&current, memory_order_consume);
    int value = seen->value;
    (void)value;
    return unused;
}

int main(void) {
    run_three(writer, reader, reader);
    return 0;
}
