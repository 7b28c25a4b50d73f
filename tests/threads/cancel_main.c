/* The main thread is cancelled: its handlers run, the thread that did it joins it, and the process exits with 0 when
 * that one ends. */
#include <pthread.h>
#include <semaphore.h>

#include "check.h"

static pthread_t main_thread;
static sem_t never;
static int cleaned, joined;

static void clean(void *unused) {
    (void)unused;
    cleaned++;
}

static void at_exit(void) { CHECK(cleaned == 2 && joined == 1); }

static void *cancel_main(void *unused) {
    void *result;
    CHECK(pthread_cancel(main_thread) == 0);
    CHECK(pthread_join(main_thread, &result) == 0 && result == PTHREAD_CANCELED && cleaned == 2);
    joined++;
    return unused;
}

static void wait_for_ever(void) {
    pthread_cleanup_push(clean, NULL);
    sem_wait(&never);
    pthread_cleanup_pop(0);
}

int main(void) {
    pthread_t thread;
    atexit(at_exit);
    main_thread = pthread_self();
    sem_init(&never, 0, 0);
    pthread_cleanup_push(clean, NULL);
    CHECK(pthread_create(&thread, NULL, cancel_main, NULL) == 0);
    wait_for_ever();
    pthread_cleanup_pop(0);
    return 1;
}
