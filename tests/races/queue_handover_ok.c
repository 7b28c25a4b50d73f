/* An object is filled, handed over through a queue with a lock, and used without one.
 * races: none
 * maybe: a-b
 */
#include <stdlib.h>

#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *queue;

static void *sender(void *unused) {
    int *item = malloc(sizeof *item);
    *item = 1; /* @a */
    pthread_mutex_lock(&lock);
    queue = item;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *receiver(void *unused) {
    pthread_mutex_lock(&lock);
    int *item = queue;
    pthread_mutex_unlock(&lock);
    if (item) ++*item; /* @b */
    return unused;
}

int main(void) {
    run_two(sender, receiver);
    return 0;
}
