/* Each thread has its own.
 * races: none
 */
#include "subject.h"

static _Thread_local int counter;

static void *count(void *unused) {
    counter++;
    counter++;
    return counter == 2 ? unused : &counter;
}

int main(void) {
    run_two(count, count);
    return counter;
}
