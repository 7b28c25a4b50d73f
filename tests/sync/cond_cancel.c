/* A waiter is cancelled: its clean-up handler runs with the mutex held, and the other waiter still gets the
 * signal that was not the cancelled one's. */
#define _GNU_SOURCE
#include <pthread.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting, tickets;

static void leave(void *unused) {
    (void)unused;
    CHECK(pthread_mutex_unlock(&mutex) == 0); /* would be EPERM without the mutex */
}

static void *wait_for_ticket(void *unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(leave, NULL);
    waiting++;
    while (!tickets) pthread_cond_wait(&cond, &mutex);
    tickets--;
    pthread_cleanup_pop(1);
    return NULL;
}

static void give_ticket(void) {
    pthread_mutex_lock(&mutex);
    tickets++;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
}

int main(void) {
    pthread_t first, second;
    void *result;
    pthread_create(&first, NULL, wait_for_ticket, NULL);
    pthread_create(&second, NULL, wait_for_ticket, NULL);
    give_ticket();
    pthread_cancel(first);
    CHECK(pthread_join(first, &result) == 0);
    if (result != PTHREAD_CANCELED) give_ticket();
    CHECK(pthread_join(second, NULL) == 0);
    CHECK(pthread_mutex_lock(&mutex) == 0 && tickets == 0 && waiting >= 1);
    return 0;
}
