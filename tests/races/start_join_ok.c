/* Before the start, in the thread, after the join: in order.
 * races: none
 */
#include "subject.h"

static int value;

static void *work(void *unused) {
    value++;
    return unused;
}

int main(void) {
    pthread_t thread;
    value = 1;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    value++;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return value != 4;
}
