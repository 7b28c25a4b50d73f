/* One of the users forgets to call pthread_once.
 * races: a-b
 */
#include "subject.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table;

static void make_table(void) { table = 1; /* @a */ }

static void *use(void *unused) {
    pthread_once(&once, make_table);
    int seen = table;
    (void)seen;
    return unused;
}

static void *use_at_once(void *unused) {
    int seen = table; /* @b */
    (void)seen;
    return unused;
}

int main(void) {
    run_two(use, use_at_once);
    return 0;
}
