/* fails: misuse: join of a handle that is no thread */
#include <pthread.h>

static void *nothing(void *unused) { return unused; }

int main(void) {
    pthread_t thread, unset = 0;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(unset, NULL);
    return 0;
}
