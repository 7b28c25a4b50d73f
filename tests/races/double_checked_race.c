/* Double-checked locking with a plain pointer.
 * races: a-d c-e
 */
#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct table { int value; } only, *table;

static void *use(void *unused) {
    struct table *seen = table; /* @a */
    if (!seen) {
        pthread_mutex_lock(&lock);
        seen = table;
        if (!seen) {
            only.value = 1; /* @c */
            seen = &only;
            table = seen; /* @d */
        }
        pthread_mutex_unlock(&lock);
    }
    int value = seen->value; /* @e */
    (void)value;
    return unused;
}

int main(void) {
    run_two(use, use);
    return 0;
}
