#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *number) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(number ? &a : &b);
        pthread_mutex_unlock(number ? &a : &b);
        pthread_mutex_lock(&a);
        pthread_mutex_unlock(&a);
    }
    return 0;
}
int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, (void *)(i & 1));
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
