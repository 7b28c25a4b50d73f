/* A thread pool with task objects on the heap, an idle count and an orderly shutdown: correct. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { WORKERS = 2, TASKS = 4 };

struct task {
    struct task *next;
    void (*run)(int);
    int argument;
};

static struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    struct task *first, **last;
    int running;
    bool stopping;
    pthread_t workers[WORKERS];
} pool;

static atomic_int sum;

static void add(int n) { atomic_fetch_add(&sum, n); }

static void *pool_worker(void *arg) {
    struct pool *p = arg;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->first && !p->stopping) pthread_cond_wait(&p->work, &p->lock);
        struct task *task = p->first;
        if (!task) break;
        p->first = task->next;
        if (!p->first) p->last = &p->first;
        p->running++;
        pthread_mutex_unlock(&p->lock);
        task->run(task->argument);
        free(task);
        pthread_mutex_lock(&p->lock);
        if (--p->running == 0 && !p->first) pthread_cond_broadcast(&p->idle);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void pool_start(struct pool *p) {
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->idle, NULL);
    p->last = &p->first;
    for (int i = 0; i < WORKERS; i++) pthread_create(&p->workers[i], NULL, pool_worker, p);
}

static void pool_submit(struct pool *p, void (*run)(int), int argument) {
    struct task *task = malloc(sizeof *task);
    *task = (struct task){.run = run, .argument = argument};
    pthread_mutex_lock(&p->lock);
    *p->last = task;
    p->last = &task->next;
    pthread_cond_signal(&p->work);
    pthread_mutex_unlock(&p->lock);
}

static void pool_drain(struct pool *p) {
    pthread_mutex_lock(&p->lock);
    while (p->first || p->running) pthread_cond_wait(&p->idle, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void pool_stop(struct pool *p) {
    pthread_mutex_lock(&p->lock);
    p->stopping = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < WORKERS; i++) pthread_join(p->workers[i], NULL);
    pthread_cond_destroy(&p->idle);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->lock);
}

int main(void) {
    pool_start(&pool);
    for (int i = 1; i <= TASKS; i++) pool_submit(&pool, add, i);
    pool_drain(&pool);
    assert(atomic_load(&sum) == TASKS * (TASKS + 1) / 2);
    pool_stop(&pool);
    return 0;
}
