/* main leaves by pthread_exit: its own handlers and destructors run, the other threads go on, one of them joins it,
 * and when the last one ends, the process exits with 0 through its exit handlers. */
#include <pthread.h>
#include <semaphore.h>

#include "check.h"

static pthread_t main_thread;
static pthread_key_t key;
static sem_t go_on;
static int cleaned, destroyed, finished;

static void count(void *counter) { ++*(int *)counter; }

static void at_exit(void) { CHECK(cleaned == 1 && destroyed == 1 && finished == 2); }

static void *joiner(void *unused) {
    void *result;
    CHECK(pthread_join(main_thread, &result) == 0 && result == &main_thread);
    CHECK(cleaned == 1 && destroyed == 1);
    finished++;
    sem_post(&go_on);
    return unused;
}

static void *last(void *unused) {
    pthread_detach(pthread_self());
    sem_wait(&go_on);
    finished++;
    return unused;
}

int main(void) {
    pthread_t thread;
    atexit(at_exit);
    main_thread = pthread_self();
    sem_init(&go_on, 0, 0);
    pthread_key_create(&key, count);
    pthread_setspecific(key, &destroyed);
    pthread_cleanup_push(count, &cleaned);
    CHECK(pthread_create(&thread, NULL, joiner, NULL) == 0);
    CHECK(pthread_create(&thread, NULL, last, NULL) == 0);
    pthread_exit(&main_thread);
    pthread_cleanup_pop(0);
    return 1;
}
