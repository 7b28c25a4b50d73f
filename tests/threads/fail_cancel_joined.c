/* fails: misuse: cancel of thread 1, which was joined before */
#include <pthread.h>

static void *nothing(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    pthread_cancel(thread);
    return 0;
}
