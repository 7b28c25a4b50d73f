/* The busy-waiting example of the HaPSet paper: a loop that locks, looks at a flag, and unlocks, until another thread has
 * set it under the same lock. The flag is atomic so that every access is a scheduling point from the first execution on. */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flag;

static void *waiter(void *unused) {
    for (int seen = 0; !seen;) {
        pthread_mutex_lock(&lock);
        seen = atomic_load(&flag);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_mutex_lock(&lock);
    atomic_store(&flag, 1);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
