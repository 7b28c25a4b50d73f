/* pthread_exit from a nested call, with a cleanup handler, before the join.
 * races: none
 */
#include "subject.h"

static int result, cleaned;

static void clean(void *unused) {
    (void)unused;
    cleaned = 1;
}

static void leave(void) {
    result = 1;
    pthread_exit(NULL);
}

static void *work(void *unused) {
    pthread_cleanup_push(clean, NULL);
    leave();
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return result + cleaned != 2;
}
