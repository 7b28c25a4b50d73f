#include "wpool.h"

#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    wpool_fn    fn;
    void       *arg;
};

struct wpool {
    pthread_mutex_t mu;
    pthread_cond_t  work; /* a job, or stopping */
    pthread_cond_t  idle; /* nothing pending, nothing running */
    struct job     *head, **tail;
    int             pending, running, stopping;
    int             nthreads;
    pthread_t       threads[];
};

static void *worker(void *arg)
{
    wpool_t *p = arg;

    pthread_mutex_lock(&p->mu);
    for (;;) {
        while (p->head == NULL && !p->stopping)
            pthread_cond_wait(&p->work, &p->mu);
        if (p->head == NULL)
            break;
        struct job *j = p->head;
        p->head = j->next;
        if (p->head == NULL)
            p->tail = &p->head;
        p->pending--;
        p->running++;
        pthread_mutex_unlock(&p->mu);

        j->fn(j->arg);
        free(j);

        pthread_mutex_lock(&p->mu);
        p->running--;
        if (p->running == 0 && p->pending == 0)
            pthread_cond_broadcast(&p->idle);
    }
    pthread_mutex_unlock(&p->mu);
    return NULL;
}

wpool_t *wpool_create(int workers)
{
    wpool_t *p = calloc(1, sizeof *p + (size_t)workers * sizeof p->threads[0]);

    if (p == NULL)
        return NULL;
    pthread_mutex_init(&p->mu, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->idle, NULL);
    p->tail = &p->head;
    for (int i = 0; i < workers; i++)
        if (pthread_create(&p->threads[p->nthreads], NULL, worker, p) == 0)
            p->nthreads++;
    return p;
}

int wpool_submit(wpool_t *p, wpool_fn fn, void *arg)
{
    struct job *j = malloc(sizeof *j);

    if (j == NULL)
        return -1;
    *j = (struct job){.fn = fn, .arg = arg};
    pthread_mutex_lock(&p->mu);
    if (p->stopping) {
        pthread_mutex_unlock(&p->mu);
        free(j);
        return -1;
    }
    *p->tail = j;
    p->tail = &j->next;
    p->pending++;
    pthread_cond_signal(&p->work);
    pthread_mutex_unlock(&p->mu);
    return 0;
}

int wpool_pending(wpool_t *p)
{
    pthread_mutex_lock(&p->mu);
    int n = p->pending;
    pthread_mutex_unlock(&p->mu);
    return n;
}

void wpool_drain(wpool_t *p)
{
    pthread_mutex_lock(&p->mu);
    while (p->pending > 0 || p->running > 0)
        pthread_cond_wait(&p->idle, &p->mu);
    pthread_mutex_unlock(&p->mu);
}

void wpool_shutdown(wpool_t *p)
{
    pthread_mutex_lock(&p->mu);
    p->stopping = 1;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->mu);
    for (int i = 0; i < p->nthreads; i++)
        pthread_join(p->threads[i], NULL);
    pthread_cond_destroy(&p->idle);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->mu);
    free(p);
}
