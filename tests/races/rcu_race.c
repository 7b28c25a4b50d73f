/* The new version is filled after it was published.
 * races: a-b
 */
#include <stdatomic.h>

#include "subject.h"

static struct version { int value; } old = {1}, new;
static _Atomic(struct version *) current = &old;

static void *writer(void *unused) {
    atomic_store_explicit(&current, &new, memory_order_release);
    new.value = 2; /* @a */
    return unused;
}

static void *reader(void *unused) {
    struct version *seen = atomic_load_explicit(&current, memory_order_acquire);
    int value = seen->value; /* @b */
    (void)value;
    return unused;
}

int main(void) {
    run_three(writer, reader, reader);
    return 0;
}
