/* A thread pool; shutdown sets its flag without the lock.
 *
 * Bug (deadlock): a worker, holding the lock, sees no task and no shutdown; main sets `stopping` and broadcasts
 * (nobody waits yet); the worker begins to wait, and main joins it for ever.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { WORKERS = 2, TASKS = 3 };

static struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work;
    pthread_t workers[WORKERS];
    int queue[TASKS];
    int queued, taken;
    atomic_bool stopping;
    atomic_int done;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};

static void *pool_worker(void *arg) {
    struct pool *p = arg;
    for (;;) {
        pthread_mutex_lock(&p->lock);
        while (p->taken == p->queued && !atomic_load(&p->stopping)) pthread_cond_wait(&p->work, &p->lock);
        if (p->taken == p->queued) {
            pthread_mutex_unlock(&p->lock);
            return NULL;
        }
        int task = p->queue[p->taken++];
        pthread_mutex_unlock(&p->lock);
        atomic_fetch_add(&p->done, task);
    }
}

static void pool_submit(struct pool *p, int task) {
    pthread_mutex_lock(&p->lock);
    p->queue[p->queued++] = task;
    pthread_cond_signal(&p->work);
    pthread_mutex_unlock(&p->lock);
}

static void pool_shutdown(struct pool *p) {
    atomic_store(&p->stopping, 1);
    pthread_cond_broadcast(&p->work);
    for (int i = 0; i < WORKERS; i++) pthread_join(p->workers[i], NULL);
}

int main(void) {
    for (int i = 0; i < WORKERS; i++) pthread_create(&pool.workers[i], NULL, pool_worker, &pool);
    for (int i = 0; i < TASKS; i++) pool_submit(&pool, 1);
    pool_shutdown(&pool);
    printf("done %d\n", atomic_load(&pool.done));
    return 0;
}
