/* Memory from mmap is shared like any other.
 * races: a-b
 */
#include <sys/mman.h>

#include "subject.h"

static int *page;

static void *first(void *unused) {
    page[0] = 1; /* @a */
    page[1] = 1;
    return unused;
}

static void *second(void *unused) {
    page[0] = 2; /* @b */
    page[2] = 2;
    return unused;
}

int main(void) {
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return 2;
    run_two(first, second);
    return 0;
}
