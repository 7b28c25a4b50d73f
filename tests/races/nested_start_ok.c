/* A thread that starts a thread: the order goes through both starts and both joins.
 * races: none
 */
#include "subject.h"

static int value;

static void *inner(void *unused) {
    value++;
    return unused;
}

static void *outer(void *unused) {
    pthread_t thread;
    pthread_create(&thread, NULL, inner, NULL);
    pthread_join(thread, NULL);
    value++;
    return unused;
}

int main(void) {
    pthread_t thread;
    value = 1;
    pthread_create(&thread, NULL, outer, NULL);
    pthread_join(thread, NULL);
    return value != 3;
}
