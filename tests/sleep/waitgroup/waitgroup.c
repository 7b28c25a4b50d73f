#include "waitgroup.h"

void wg_init(waitgroup_t *wg)
{
    pthread_mutex_init(&wg->mtx, NULL);
    pthread_cond_init(&wg->cnd, NULL);
    wg->n       = 0;
    wg->waiters = 0;
}

void wg_fini(waitgroup_t *wg)
{
    pthread_mutex_destroy(&wg->mtx);
    pthread_cond_destroy(&wg->cnd);
}

void wg_add(waitgroup_t *wg, int delta)
{
    pthread_mutex_lock(&wg->mtx);
    wg->n += delta;
    if (wg->n < 0) wg->n = 0;
    if (delta < 0 && wg->waiters > 0) pthread_cond_broadcast(&wg->cnd);
    pthread_mutex_unlock(&wg->mtx);
}

void wg_done(waitgroup_t *wg) { wg_add(wg, -1); }

int wg_wait_below(waitgroup_t *wg, int limit)
{
    pthread_mutex_lock(&wg->mtx);
    wg->waiters++;
    while (wg->n >= limit) pthread_cond_wait(&wg->cnd, &wg->mtx);
    wg->waiters--;
    int left = wg->n;
    pthread_mutex_unlock(&wg->mtx);
    return left;
}

void wg_wait(waitgroup_t *wg) { wg_wait_below(wg, 1); }
