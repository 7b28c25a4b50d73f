/* Operators on atomic variables are sequentially consistent, and order.
 * races: none
 */
#include <stdatomic.h>

#include "subject.h"

static atomic_int turn;
static int message;

static void *first(void *unused) {
    message = 1;
    turn = 1;
    return unused;
}

static void *second(void *unused) {
    if (turn == 1) {
        message++;
        turn = 2;
    }
    return unused;
}

static void *third(void *unused) {
    if (turn == 2) message++;
    return unused;
}

int main(void) {
    run_three(first, second, third);
    return 0;
}
