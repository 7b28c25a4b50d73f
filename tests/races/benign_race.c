/* One variable is declared benign; its neighbour is not.
 * races: a-a
 */
#include <ravel.h>

#include "subject.h"

static int statistics, counter;

static void *work(void *unused) {
    statistics++;
    counter++; /* @a */
    return unused;
}

int main(void) {
    RAVEL_BENIGN_RACE(statistics);
    run_two(work, work);
    return 0;
}
