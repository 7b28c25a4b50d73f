/* fails: signal: killed by SIGALRM
 * A watchdog does its duty when nothing else can happen any more. */
#include <pthread.h>
#include <unistd.h>

static void *waiter(void *unused) {
    (void)unused;
    pause();
    return NULL;
}

int main(void) {
    pthread_t thread;
    alarm(10);
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_join(thread, NULL);
    return 0;
}
