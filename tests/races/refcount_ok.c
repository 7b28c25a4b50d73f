/* Who drops the last reference frees: the count orders with acquire and release.
 * races: none
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "subject.h"

static struct object {
    atomic_int count;
    int value;
} * object;

static void *use(void *unused) {
    int value = object->value;
    (void)value;
    if (atomic_fetch_sub_explicit(&object->count, 1, memory_order_acq_rel) == 1) free(object);
    return unused;
}

int main(void) {
    object = malloc(sizeof *object);
    object->count = 2;
    object->value = 1;
    run_two(use, use);
    return 0;
}
