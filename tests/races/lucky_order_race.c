/* Ordered in this schedule, by a lock that is about something else.
 * races: a-b
 */
#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value, counter;

static void count(void) {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
}

static void *first(void *unused) {
    value = 1; /* @a */
    count();
    return unused;
}

static void *second(void *unused) {
    count();
    value = 2; /* @b */
    return unused;
}

int main(void) {
    run_two(first, second);
    return 0;
}
