/* An alarm that would kill the process is a watchdog: it must not fire because a time-out was tried. */
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done;

static void *worker(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    struct timespec minute;
    pthread_t thread;
    alarm(10);
    pthread_create(&thread, NULL, worker, NULL);
    clock_gettime(CLOCK_REALTIME, &minute);
    minute.tv_sec += 60;
    pthread_mutex_lock(&lock);
    while (!done) {
        int result = pthread_cond_timedwait(&changed, &lock, &minute);
        CHECK(result == 0 || result == ETIMEDOUT);
    }
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
