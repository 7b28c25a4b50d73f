/* What pthread_once made is there for everybody who called it.
 * races: none
 */
#include "subject.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table;

static void make_table(void) { table = 1; }

static void *use(void *unused) {
    pthread_once(&once, make_table);
    int seen = table;
    (void)seen;
    return unused;
}

int main(void) {
    run_two(use, use);
    return table != 1;
}
