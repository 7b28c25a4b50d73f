/* The only thread calls pthread_exit: its handlers and destructors run, and the process exits with 0 by exit. */
#include <pthread.h>

#include "check.h"

static pthread_key_t key;
static int cleaned, destroyed;

static void count(void *counter) { ++*(int *)counter; }

static void at_exit(void) { CHECK(cleaned == 1 && destroyed == 1); }

int main(void) {
    atexit(at_exit);
    pthread_key_create(&key, count);
    pthread_setspecific(key, &destroyed);
    pthread_cleanup_push(count, &cleaned);
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
    return 1;
}
