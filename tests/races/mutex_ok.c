/* A counter that both threads increase under its mutex, and main reads after joining them.
 * races: none
 */
#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add(void *unused) {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    run_two(add, add);
    return counter != 2;
}
