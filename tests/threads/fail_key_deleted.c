/* A key is deleted while the thread that has a value for it may already be ending: whether the destructor runs
 * depends on who is first, and some schedule finds it not run.
 * fails: assert: .*destroyed
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_key_t key;
static sem_t done;
static int destroyed;

static void destroy(void *unused) {
    (void)unused;
    destroyed = 1;
}

static void *work(void *unused) {
    pthread_setspecific(key, &key);
    sem_post(&done);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_key_create(&key, destroy);
    pthread_create(&thread, NULL, work, NULL);
    sem_wait(&done);
    pthread_key_delete(key);
    pthread_join(thread, NULL);
    assert(destroyed);
    return 0;
}
