/* fails: exit: exit status 5
 * err() leaves through libc's own exit, which no hook sees. */
#include <err.h>
#include <pthread.h>

static void *leaver(void *unused) {
    errx(5, "this is the end");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, leaver, NULL);
    pthread_join(thread, NULL);
    return 0;
}
