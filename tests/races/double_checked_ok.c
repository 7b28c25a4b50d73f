/* Double-checked locking with acquire and release.
 * races: none
 * maybe: a-b
 */
#include <stdatomic.h>

#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct table { int value; } only;
static _Atomic(struct table *) table;

static void *use(void *unused) {
    struct table *seen = atomic_load_explicit(&table, memory_order_acquire);
    if (!seen) {
        pthread_mutex_lock(&lock);
        seen = atomic_load_explicit(&table, memory_order_relaxed);
        if (!seen) {
            only.value = 1; /* @a */
            seen = &only;
            atomic_store_explicit(&table, seen, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    int value = seen->value; /* @b */
    (void)value;
    return unused;
}

int main(void) {
    run_two(use, use);
    return 0;
}
