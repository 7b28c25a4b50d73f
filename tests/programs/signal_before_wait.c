/* A one-shot latch that is tested before the lock is taken.
 *
 * Bug (deadlock, lost wake-up, in latch_wait): the waiter sees the latch closed; the opener opens it and signals,
 * nobody waits; the waiter takes the lock and waits without testing again.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static struct latch {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    atomic_bool open;
} latch = {.lock = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER};

static int payload;

static void latch_wait(struct latch *l) {
    if (atomic_load(&l->open)) return;
    pthread_mutex_lock(&l->lock);
    pthread_cond_wait(&l->opened, &l->lock);
    pthread_mutex_unlock(&l->lock);
}

static void latch_open(struct latch *l) {
    pthread_mutex_lock(&l->lock);
    atomic_store(&l->open, 1);
    pthread_cond_signal(&l->opened);
    pthread_mutex_unlock(&l->lock);
}

static void *prepare(void *unused) {
    (void)unused;
    payload = 42;
    latch_open(&latch);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, prepare, NULL);
    latch_wait(&latch);
    int value = payload;
    pthread_join(thread, NULL);
    printf("%d\n", value);
    return 0;
}
