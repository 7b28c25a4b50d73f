/* fails: misuse: pthread_exit in a thread that is ending already */
#include <pthread.h>

static void again(void *unused) {
    (void)unused;
    pthread_exit(NULL);
}

static void *end(void *unused) {
    pthread_cleanup_push(again, NULL);
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, end, NULL);
    pthread_join(thread, NULL);
    return 0;
}
