/* A relaxed count does not order the last use before the freeing.
 * races: a-c b-c
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "subject.h"

static struct object {
    atomic_int count;
    int value;
} * object;

static void *use(void *unused) {
    struct object *mine = object;
    int value = mine->value;                                                       /* @a */
    int before = atomic_fetch_sub_explicit(&mine->count, 1, memory_order_relaxed); /* @b */
    if (before == 1) free(mine);                                                   /* @c */
    (void)value;
    return unused;
}

int main(void) {
    object = malloc(sizeof *object);
    object->count = 2;
    object->value = 1;
    run_two(use, use);
    return 0;
}
