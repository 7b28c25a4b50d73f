/* One of two threads forgets the lock; an increment is lost.
 * races: a-b
 * harm: a-b
 */
#include <stdio.h>

#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *careful(void *unused) {
    pthread_mutex_lock(&lock);
    counter++; /* @a */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *careless(void *unused) {
    counter++; /* @b */
    return unused;
}

int main(void) {
    run_two(careful, careless);
    printf("%d\n", counter);
    return 0;
}
